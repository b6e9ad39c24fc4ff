{{- /* The text that a key part has in a key, made from the column that holds
its value. Each is named after the function of package runtime that it does
again. */ -}}

{{define "String"}}CASE
            WHEN {{.}} NOT GLOB '*[%:' || char(1) || '-' || char(31, 127) || ']*' THEN CAST({{.}} AS TEXT)
            ELSE (
                WITH RECURSIVE idemgen_escape (idemgen_n, idemgen_text) AS (
                    SELECT 0, ''
                    UNION ALL
                    SELECT idemgen_n + 1, idemgen_text || CASE WHEN substr({{.}}, idemgen_n + 1, 1) GLOB '[%:' || char(1) || '-' || char(31, 127) || ']' THEN printf('%%%02X', unicode(substr({{.}}, idemgen_n + 1, 1))) ELSE substr({{.}}, idemgen_n + 1, 1) END
                    FROM idemgen_escape
                    WHERE idemgen_n < length({{.}})
                )
                SELECT idemgen_text FROM idemgen_escape ORDER BY idemgen_n DESC LIMIT 1
            )
        END{{end}}

{{define "Text"}}{{template "String" .}}{{end}}

{{define "Stringer"}}{{template "String" .}}{{end}}

{{define "Int"}}CAST({{.}} AS TEXT){{end}}

{{define "Uint"}}CAST({{.}} AS TEXT){{end}}

{{define "Bool"}}CASE {{.}} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE CAST({{.}} AS TEXT) END{{end}}

{{define "Bytes"}}CASE typeof({{.}}) WHEN 'blob' THEN lower(hex({{.}})) ELSE lower(replace({{.}}, '-', '')) END{{end}}

{{define "ByteArray"}}{{template "Bytes" .}}{{end}}

{{define "Key"}}CAST({{.}} AS TEXT){{end}}

{{- /* A time of the user's as seconds since 1970, whichever way the table
holds it: text, seconds, or milliseconds. */ -}}
{{define "Seconds"}}CASE WHEN typeof({{.}}) = 'text' THEN CAST(strftime('%s', substr({{.}}, 1, 19)) AS INTEGER) WHEN {{.}} > 100000000000 THEN {{.}} / 1000 ELSE {{.}} END{{end}}
