-- The unique index of upserts into prices.
--
-- No two rows have the same product and region: an upsert finds by it the row
-- that is there. NULL is equal to NULL in it, hence the expressions.
-- idemgen.lock freezes this file: make changes in a migration of your own.
--
-- Rows that agree make it fail. Look for them before:
--
--     SELECT product, region, count(*) FROM prices GROUP BY product, region HAVING count(*) > 1;

CREATE UNIQUE INDEX prices_by_product_region_nulls ON prices (product, region IS NULL, coalesce(region, ''));
