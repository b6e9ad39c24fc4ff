-- The unique index of upserts into prices.
--
-- No two rows have the same product and region: an upsert finds by it the row
-- that is there. NULL is equal to NULL in it, which takes Postgres 15.
-- idemgen.lock freezes this file: make changes in a migration of your own.
--
-- It is built while others go on writing, so it stands alone and outside of a
-- transaction. Rows that agree make it fail, and leave an index that is not
-- valid. Look for them before:
--
--     SELECT product, region, count(*) FROM prices GROUP BY product, region HAVING count(*) > 1;
--
-- After a failure mend them, drop the index and run this again:
--
--     DROP INDEX CONCURRENTLY prices_by_product_region_nulls;

CREATE UNIQUE INDEX CONCURRENTLY prices_by_product_region_nulls ON prices (product, region) NULLS NOT DISTINCT;
