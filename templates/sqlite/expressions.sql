{{- /* The text of a key part, made from the column that holds its value. Each
is named after the function of package runtime that it does again; SQLite has
no Hash. */ -}}

{{define "String"}}CAST({{.}} AS TEXT){{end}}

{{define "Text"}}{{template "String" .}}{{end}}

{{define "Stringer"}}{{template "String" .}}{{end}}

{{define "Int"}}CAST({{.}} AS TEXT){{end}}

{{define "Uint"}}CAST({{.}} AS TEXT){{end}}

{{define "Bool"}}CASE {{.}} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE CAST({{.}} AS TEXT) END{{end}}

{{define "Bytes"}}CASE typeof({{.}}) WHEN 'blob' THEN lower(hex({{.}})) ELSE lower(replace({{.}}, '-', '')) END{{end}}

{{define "ByteArray"}}{{template "Bytes" .}}{{end}}

{{define "Date"}}coalesce(strftime('%Y-%m-%d', {{template "Seconds" .}}, 'unixepoch'), CAST({{.}} AS TEXT)){{end}}

{{define "Hour"}}coalesce(strftime('%Y-%m-%dT%H', {{template "Seconds" .}}, 'unixepoch'), CAST({{.}} AS TEXT)){{end}}

{{define "Unix"}}CAST(coalesce({{template "Seconds" .}}, {{.}}) AS TEXT){{end}}

{{define "Trim"}}trim({{.}}, char(9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288)){{end}}

{{define "Key"}}CAST({{.}} AS TEXT){{end}}

{{- /* The text as it stands in the key. */ -}}
{{define "Escape"}}CASE
            WHEN {{.}} GLOB '*[%:' || char(1) || '-' || char(31, 127) || ']*' THEN (
                WITH RECURSIVE idemgen_escape (idemgen_n, idemgen_text) AS (
                    SELECT 0, ''
                    UNION ALL
                    SELECT idemgen_n + 1, idemgen_text || CASE WHEN substr({{.}}, idemgen_n + 1, 1) GLOB '[%:' || char(1) || '-' || char(31, 127) || ']' THEN printf('%%%02X', unicode(substr({{.}}, idemgen_n + 1, 1))) ELSE substr({{.}}, idemgen_n + 1, 1) END
                    FROM idemgen_escape
                    WHERE idemgen_n < length({{.}})
                )
                SELECT idemgen_text FROM idemgen_escape ORDER BY idemgen_n DESC LIMIT 1
            )
            ELSE {{.}}
        END{{end}}

{{- /* A time of the developer's as seconds since 1970, whichever way a driver
writes it: as text, with a zone or in UTC, or as seconds, milliseconds,
microseconds or nanoseconds. It is NULL for what is no time, a day that no
month has among it. */ -}}
{{define "Seconds"}}CASE typeof({{.}})
            WHEN 'text' THEN (
                SELECT strftime('%s', substr({{.}}, 1, 19)) - (substr(idemgen_zone, 1, 1) || 1) * (substr(idemgen_zone, 2, 2) * 3600 + substr(idemgen_zone, 4, 2) * 60)
                FROM (SELECT replace(ltrim(substr({{.}}, 20), '.0123456789 '), ':', '') AS idemgen_zone)
                WHERE {{.}} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' AND {{.}} >= '0001' AND length(substr({{.}}, 1, 19)) IN (10, 16, 19)
                    AND instr(strftime('%Y-%m-%dT%H:%M:%S', substr({{.}}, 1, 19)), replace(substr({{.}}, 1, 19), ' ', 'T')) = 1
            )
            WHEN 'integer' THEN CASE
                WHEN {{.}} BETWEEN -99999999999 AND 99999999999 THEN {{.}}
                WHEN {{.}} BETWEEN -99999999999999 AND 99999999999999 THEN {{.}} / 1000 - ({{.}} % 1000 < 0)
                WHEN {{.}} BETWEEN -99999999999999999 AND 99999999999999999 THEN {{.}} / 1000000 - ({{.}} % 1000000 < 0)
                ELSE {{.}} / 1000000000 - ({{.}} % 1000000000 < 0)
            END
            WHEN 'real' THEN CAST({{.}} AS INTEGER) - ({{.}} < CAST({{.}} AS INTEGER))
        END{{end}}
