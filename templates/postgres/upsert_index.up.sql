-- The unique index of upserts into {{.Table}}.
--
-- No two rows have the same {{.Piece}}: an upsert finds by it the row that is
-- there.{{if .Same}} NULL is equal to NULL in it, which takes Postgres 15.{{end}} idemgen.lock freezes this file: make changes in a
-- migration of your own.
--
-- It is built while others go on writing, so it stands alone and outside of a
-- transaction. Rows that agree make it fail, and leave an index that is not
-- valid. Look for them before:
--
--     SELECT {{.Names}}, count(*) FROM {{.Table}} {{if .NotNull}}WHERE {{.NotNull}} {{end}}GROUP BY {{.Names}} HAVING count(*) > 1;
--
-- After a failure mend them, drop the index and run this again:
--
--     DROP INDEX CONCURRENTLY {{.Schema}}{{.Index}};

CREATE UNIQUE INDEX CONCURRENTLY {{.Index}} ON {{.Table}} ({{.Target}}){{.Clause}};
