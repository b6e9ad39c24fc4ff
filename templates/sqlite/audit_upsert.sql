{{.Header}}
--
-- Is each row of {{.Table}} there once? The queries look for what breaks the
-- unique index, or what is there because it was not. Nothing at all is good
-- news.
--
--     sqlite3 app.db < {{.File}}

-- 1. duplicate: more than one row for the same {{.Piece}}.
{{- if .Unsaid}} NULL is a finding too: a unique index lets such rows repeat.{{end}}
SELECT
    'duplicate' AS finding,
    {{.Names}},
    count(*) AS row_count
FROM {{.Table}}
{{- if .NotNull}}
WHERE {{.NotNull}}
{{- end}}
GROUP BY {{.Names}}
HAVING count(*) > 1{{if .Unsaid}} OR {{.AnyNull}}{{end}}
ORDER BY count(*) DESC, {{.Names}}
LIMIT 100;

-- 2. no index: the migration was not applied.
SELECT
    'no index' AS finding,
    '{{.Index}}' AS index_name
WHERE NOT EXISTS (
    SELECT 1 FROM sqlite_master
    WHERE type = 'index' AND name = '{{.Index}}'
);
