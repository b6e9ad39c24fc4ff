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
    WHERE {{.Time}} >= now() - interval '{{.Since.Interval}}'
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
        CASE
            WHEN octet_length(idemgen_key) > {{.MaxBytes}} THEN (
                SELECT left(idemgen_key, n)
                FROM generate_series({{.KeptBytes}}, 0, -1) AS n
                WHERE octet_length(left(idemgen_key, n)) <= {{.KeptBytes}}
                LIMIT 1
            ) || '%sha256-' || encode(sha256(convert_to(idemgen_key, 'UTF8')), 'hex')
            ELSE idemgen_key
        END COLLATE "C" AS idemgen_key
    FROM idemgen_keys
){{end -}}

-- 2. row without run: rows of {{.Table}} that were written past the wrapper.
--    The key of their run is made as {{.KeyFunc}} makes it, where {{.Mapping}}.
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
WHERE NOT EXISTS (SELECT FROM {{.Runs}} AS run WHERE run.key = idemgen_key)
{{- if .Time}}
    AND {{.Time}} >= (SELECT min(run.created_at) FROM {{.Runs}} AS run WHERE run.handler = '{{.Namespace}}')
{{- if .Retain}}
    AND {{.Time}} >= now() - interval '{{.Retain.Interval}}'
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
    run.created_at,
    run.completed_at
FROM {{.Runs}} AS run
LEFT JOIN idemgen_rows ON idemgen_rows.idemgen_key = run.key
WHERE run.handler = '{{.Namespace}}'
    AND run.status = 'done'
{{- if .Since}}
    AND run.created_at >= now() - interval '{{.Since.Interval}}' + interval '{{.Margin.Interval}}'
{{- end}}
    AND idemgen_rows.idemgen_key IS NULL
ORDER BY run.completed_at DESC, run.key
LIMIT 100;
