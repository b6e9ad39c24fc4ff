-- Upserts into visits fail without it.

DROP INDEX visits_by_page_visitor;
