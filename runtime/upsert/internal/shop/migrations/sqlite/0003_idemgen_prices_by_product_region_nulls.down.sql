-- Upserts into prices fail without it.

DROP INDEX prices_by_product_region_nulls;
