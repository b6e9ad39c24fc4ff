-- The unique index of upserts into {{.Table}}.
--
-- No two rows have the same {{.Piece}}: an upsert finds by it the row that is
-- there.{{if .Same}} NULL is equal to NULL in it, hence the expressions.{{end}} idemgen.lock freezes this file: make changes in a
-- migration of your own.
--
-- Rows that agree make it fail. Look for them before:
--
--     SELECT {{.Names}}, count(*) FROM {{.Table}} {{if .NotNull}}WHERE {{.NotNull}} {{end}}GROUP BY {{.Names}} HAVING count(*) > 1;

CREATE UNIQUE INDEX {{.Index}} ON {{.Table}} ({{.Target}});
