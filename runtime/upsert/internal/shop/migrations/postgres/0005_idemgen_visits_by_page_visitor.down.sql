-- Upserts into visits fail without it.

DROP INDEX CONCURRENTLY visits_by_page_visitor;
