{{- /* Columns of the developer's have names of ours from the first step on, so
that they cannot be taken for anything else; and no table of the developer's
has a $ in its name. */ -}}

{{define "rows"}}WITH idemgen$values AS (
    SELECT
{{- range .Shown}}
        effect.{{.Name}} AS {{.Alias}},
{{- end}}
{{- if .Time}}
        effect.{{.Time}} AS row_time,
{{- end}}
{{- range $i, $part := .Parts}}
        {{- if $i}},{{end}}
        {{$part.Value}} AS {{$part.ValueName}}
{{- end}}
    FROM {{.Table}} AS effect
), idemgen$parts AS MATERIALIZED (
    SELECT
        *,
{{- range $i, $part := .Parts}}
        {{- if $i}},{{end}}
        {{$part.Text}} AS {{$part.Name}}
{{- end}}
    FROM idemgen$values
{{- if .Since}}
    WHERE row_time >= now() - interval '{{.Since.Interval}}'
{{- end}}
), idemgen$keys AS (
    SELECT
        *,
        {{.Key}} AS whole_key
    FROM idemgen$parts
), idemgen$rows AS MATERIALIZED (
    SELECT
        *,
        CASE
            WHEN octet_length(whole_key) > {{.MaxBytes}} THEN (
                SELECT left(whole_key, n)
                FROM generate_series({{.KeptBytes}}, 0, -1) AS n
                WHERE octet_length(left(whole_key, n)) <= {{.KeptBytes}}
                LIMIT 1
            ) || '%sha256-' || encode(sha256(convert_to(whole_key, 'UTF8')), 'hex')
            ELSE whole_key
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
{{- end}}: add "time COLUMN" to the audit
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
    AND effects.row_time >= (SELECT min(run.created_at) FROM {{.Runs}} AS run WHERE run.handler = '{{.Namespace}}')
{{- if .Retain}}
    AND effects.row_time >= now() - interval '{{.Retain.Interval}}'
{{- end}}
{{- end}}
ORDER BY {{if .Time}}effects.row_time DESC, {{end}}effects.row_key
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
