{{define "rows"}}WITH idemgen_parts AS MATERIALIZED (
    SELECT
{{- range .Shown}}
        {{.}},
{{- end}}
{{- range $i, $part := .Parts}}
        {{- if $i}},{{end}}
        {{$part.Expr}} AS {{$part.Name}}
{{- end}}
    FROM {{.Table}}
{{- if .Since}}
    WHERE {{template "Seconds" .Time}} >= strftime('%s', 'now') - {{.Since.Seconds}}
{{- end}}
), idemgen_keys AS (
    SELECT
{{- range .Shown}}
        {{.}},
{{- end}}
        {{.Key}} AS idemgen_key
    FROM idemgen_parts
), idemgen_rows AS MATERIALIZED (
    SELECT
{{- range .Shown}}
        {{.}},
{{- end}}
        CAST(idemgen_key AS TEXT) AS idemgen_key
    FROM idemgen_keys
    WHERE coalesce(length(CAST(idemgen_key AS BLOB)), 0) <= {{.MaxBytes}}
){{end -}}

-- 2. row without run: rows of {{.Table}} that were written past the wrapper.
--    The key of their run is made as {{.KeyFunc}} makes it, where {{.Mapping}}.
--    Left out are rows whose key is over {{.MaxBytes}} bytes, which ends in a hash that SQLite lacks.
{{- if .Time}}
--    Rows older than the oldest run of {{.Namespace}} are left out
{{- if .Retain}}, and so are rows
--    older than {{.Retain}}, whose run may have been purged
{{- end}}.
{{- else}}
--    Rows from before the wrapper's time are here too
{{- if .Retain}}, and so are rows older
--    than {{.Retain}}, whose run may have been purged
{{- end}}: add "time COLUMN" to //idem:audit
--    to leave them out.
{{- end}}
{{template "rows" .}}
SELECT
    'row without run' AS finding,
{{- range .Shown}}
    {{.}},
{{- end}}
    idemgen_key AS expected_key
FROM idemgen_rows
WHERE NOT EXISTS (SELECT 1 FROM {{.Runs}} AS run WHERE run.key = idemgen_key)
{{- if .Time}}
    AND {{template "Seconds" .Time}} >= (SELECT min(run.created_at) / 1000 FROM {{.Runs}} AS run WHERE run.handler = '{{.Namespace}}')
{{- if .Retain}}
    AND {{template "Seconds" .Time}} >= strftime('%s', 'now') - {{.Retain.Seconds}}
{{- end}}
{{- end}}
ORDER BY {{if .Time}}{{.Time}} DESC, {{end}}expected_key
LIMIT 100;

-- 3. run without row: runs of {{.Namespace}} that say done, though no row of {{.Table}} shows it.
{{- if .Since}}
--    Runs of the first {{.Margin}} of the {{.Since}} are left out, since clocks differ.
{{- end}}
{{template "rows" .}}
SELECT
    'run without row' AS finding,
    run.key,
    run.attempts,
    datetime(run.created_at / 1000, 'unixepoch') AS created_at,
    datetime(run.completed_at / 1000, 'unixepoch') AS completed_at
FROM {{.Runs}} AS run
LEFT JOIN idemgen_rows ON idemgen_rows.idemgen_key = run.key
WHERE run.handler = '{{.Namespace}}'
    AND run.status = 'done'
    AND instr(run.key, '%sha256-') = 0
{{- if .Since}}
    AND run.created_at / 1000 >= strftime('%s', 'now') - {{.Since.Seconds}} + {{.Margin.Seconds}}
{{- end}}
    AND idemgen_rows.idemgen_key IS NULL
ORDER BY run.completed_at DESC, run.key
LIMIT 100;
