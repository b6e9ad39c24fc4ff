{{- /* Columns of the developer's have names of ours from the first step on, so
that they cannot be taken for anything else; and no table of the developer's
has a $ in its name. */ -}}

{{define "rows"}}WITH idemgen$parts AS MATERIALIZED (
    SELECT
{{- range .Shown}}
        effect.{{.Name}} AS {{.Alias}},
{{- end}}
{{- range $i, $part := .Parts}}
        {{- if $i}},{{end}}
        {{$part.Expr}} AS {{$part.Name}}
{{- end}}
    FROM {{.Table}} AS effect
{{- if .Since}}
    WHERE effect.{{.Time}} >= now() - interval '{{.Since.Interval}}'
{{- end}}
), idemgen$keys AS (
    SELECT
{{- range .Shown}}
        {{.Alias}},
{{- end}}
        {{.Key}} AS row_key
    FROM idemgen$parts
), idemgen$rows AS MATERIALIZED (
    SELECT
{{- range .Shown}}
        {{.Alias}},
{{- end}}
        CASE
            WHEN octet_length(row_key) > {{.MaxBytes}} THEN (
                SELECT left(row_key, n)
                FROM generate_series({{.KeptBytes}}, 0, -1) AS n
                WHERE octet_length(left(row_key, n)) <= {{.KeptBytes}}
                LIMIT 1
            ) || '%sha256-' || encode(sha256(convert_to(row_key, 'UTF8')), 'hex')
            ELSE row_key
        END COLLATE "C" AS row_key
    FROM idemgen$keys
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
    effects.{{.Alias}} AS {{.Name}},
{{- end}}
    effects.row_key AS expected_key
FROM idemgen$rows AS effects
WHERE NOT EXISTS (SELECT FROM {{.Runs}} AS run WHERE run.key = effects.row_key)
{{- if .Time}}
    AND effects.{{.TimeAlias}} >= (SELECT min(run.created_at) FROM {{.Runs}} AS run WHERE run.handler = '{{.Namespace}}')
{{- if .Retain}}
    AND effects.{{.TimeAlias}} >= now() - interval '{{.Retain.Interval}}'
{{- end}}
{{- end}}
ORDER BY {{if .Time}}effects.{{.TimeAlias}} DESC, {{end}}effects.row_key
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
LEFT JOIN idemgen$rows AS effects ON effects.row_key = run.key
WHERE run.handler = '{{.Namespace}}'
    AND run.status = 'done'
{{- if .Since}}
    AND run.created_at >= now() - interval '{{.Since.Interval}}' + interval '{{.Margin.Interval}}'
{{- end}}
    AND effects.row_key IS NULL
ORDER BY run.completed_at DESC, run.key
LIMIT 100;
