{{- /* The text of a key part, made from the column that holds its value. Each
is named after the function of package runtime that it does again. */ -}}

{{define "String"}}{{.}}::text COLLATE "C"{{end}}

{{define "Text"}}{{template "String" .}}{{end}}

{{define "Stringer"}}{{template "String" .}}{{end}}

{{define "Int"}}{{.}}::text{{end}}

{{define "Uint"}}{{.}}::text{{end}}

{{define "Bool"}}{{.}}::text{{end}}

{{define "Bytes"}}regexp_replace(lower({{.}}::text COLLATE "C"), '^\\x|-', '', 'g'){{end}}

{{define "ByteArray"}}{{template "Bytes" .}}{{end}}

{{define "Date"}}coalesce(to_char({{template "UTC" .}}, 'YYYY-MM-DD'), {{template "AsItStands" .}}){{end}}

{{define "Hour"}}coalesce(to_char({{template "UTC" .}}, 'YYYY-MM-DD"T"HH24'), {{template "AsItStands" .}}){{end}}

{{define "Unix"}}coalesce(floor(extract(epoch FROM {{template "UTC" .}}))::text, {{template "AsItStands" .}}){{end}}

{{define "Trim"}}btrim({{.}}, E'\t\n\x0b\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'){{end}}

{{define "Hash"}}encode(sha256(convert_to(nullif({{.}}, ''), 'UTF8')), 'hex'){{end}}

{{define "Key"}}{{.}}::text{{end}}

{{- /* The text as it stands in the key. */ -}}
{{define "Escape"}}CASE
            WHEN {{.}} ~ '[%:\x01-\x1f\x7f]' THEN (
                SELECT string_agg(CASE WHEN c ~ '[%:\x01-\x1f\x7f]' THEN '%' || upper(lpad(to_hex(ascii(c)), 2, '0')) ELSE c END, '' ORDER BY n)
                FROM regexp_split_to_table({{.}}, '') WITH ORDINALITY AS chars (c, n)
            )
            ELSE {{.}}
        END{{end}}

{{- /* A time in UTC, and NULL for what is of no type that holds one. One
without a zone is in UTC already. JSON has the same text in every session, and
coalesce makes a domain its base type. */ -}}
{{define "UTC"}}CASE pg_typeof(coalesce({{.}}, NULL))
            WHEN 'timestamptz'::regtype THEN ({{template "AsItStands" .}})::timestamptz AT TIME ZONE 'UTC'
            WHEN 'timestamp'::regtype THEN ({{template "AsItStands" .}})::timestamp
            WHEN 'date'::regtype THEN ({{template "AsItStands" .}})::timestamp
        END{{end}}

{{define "AsItStands"}}to_jsonb({{.}}) #>> '{}'{{end}}
