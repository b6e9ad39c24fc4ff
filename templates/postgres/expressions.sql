{{- /* The text that a key part has in a key, made from the column that holds
its value. Each is named after the function of package runtime that it does
again. */ -}}

{{define "String"}}CASE
            WHEN {{.}}::text !~ '[%:\x01-\x1f\x7f]' THEN {{.}}::text
            ELSE (
                SELECT string_agg(CASE WHEN c ~ '[%:\x01-\x1f\x7f]' THEN '%' || upper(lpad(to_hex(ascii(c)), 2, '0')) ELSE c END, '' ORDER BY n)
                FROM regexp_split_to_table({{.}}::text, '') WITH ORDINALITY AS chars (c, n)
            )
        END{{end}}

{{define "Text"}}{{template "String" .}}{{end}}

{{define "Stringer"}}{{template "String" .}}{{end}}

{{define "Int"}}{{.}}::text{{end}}

{{define "Uint"}}{{.}}::text{{end}}

{{define "Bool"}}{{.}}::text{{end}}

{{define "Bytes"}}regexp_replace(lower({{.}}::text), '^\\x|-', '', 'g'){{end}}

{{define "ByteArray"}}{{template "Bytes" .}}{{end}}

{{define "Key"}}{{.}}::text{{end}}
