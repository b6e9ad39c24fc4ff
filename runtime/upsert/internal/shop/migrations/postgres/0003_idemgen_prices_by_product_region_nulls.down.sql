-- Upserts into prices fail without it.

DROP INDEX CONCURRENTLY prices_by_product_region_nulls;
