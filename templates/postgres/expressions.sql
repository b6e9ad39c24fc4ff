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

{{- /* White space is looked for in the UTF-8 of the text: a database of another
encoding can write it, as bytes, and has other numbers for its characters. */ -}}
{{define "Trim"}}convert_from(decode(regexp_replace(encode(convert_to({{.}}, 'UTF8'), 'hex'), '^(?:0[9a-d]|20|c285|c2a0|e19a80|e2808[0-9a]|e280a[89f]|e2819f|e38080)+|(?:0[9a-d]|20|c285|c2a0|e19a80|e2808[0-9a]|e280a[89f]|e2819f|e38080)+$', '', 'g'), 'hex'), 'UTF8'){{end}}

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

{{- /* A time in UTC, whichever way it is stored: as a time, where one without
a zone is in UTC already; as a number of seconds, milliseconds, microseconds or
nanoseconds; as text, with a zone or in UTC. It is NULL for what is no time,
and nothing is cast that may not be fit for it. JSON has the same text in every
session, and coalesce makes a domain its base type. */ -}}
{{define "UTC"}}CASE pg_typeof(coalesce({{.}}, NULL))
            WHEN 'timestamptz'::regtype THEN ({{template "AsItStands" .}})::timestamptz AT TIME ZONE 'UTC'
            WHEN 'timestamp'::regtype THEN ({{template "AsItStands" .}})::timestamp
            WHEN 'date'::regtype THEN ({{template "AsItStands" .}})::timestamp
            ELSE CASE jsonb_typeof(to_jsonb({{.}}))
                WHEN 'number' THEN {{template "OfNumber" .}}
                WHEN 'string' THEN {{template "OfText" .}}
            END
        END{{end}}

{{define "OfNumber"}}(
                    SELECT to_timestamp(floor(idemgen_n / idemgen_unit)) AT TIME ZONE 'UTC'
                    FROM (SELECT ({{template "AsItStands" .}})::numeric AS idemgen_n) AS idemgen_number,
                        LATERAL (SELECT CASE WHEN abs(idemgen_n) < 1e11 THEN 1 WHEN abs(idemgen_n) < 1e14 THEN 1000 WHEN abs(idemgen_n) < 1e17 THEN 1000000 ELSE 1000000000 END AS idemgen_unit) AS idemgen_scale
                    WHERE idemgen_n / idemgen_unit >= -62135596800 AND idemgen_n / idemgen_unit < 253402300800
                ){{end}}

{{define "OfText"}}(
                    SELECT idemgen_day + (coalesce(idemgen_match[3], '00:00') || coalesce(idemgen_match[4], ''))::time
                        - coalesce(make_interval(hours => (idemgen_match[5] || idemgen_match[6])::integer, mins => (idemgen_match[5] || coalesce(idemgen_match[7], '0'))::integer), '0')
                    FROM regexp_match({{template "AsItStands" .}}, '^((?!0000)[0-9]{4}-(?:0[1-9]|1[0-2]))-(0[1-9]|[12][0-9]|3[01])(?:[T ]((?:[01][0-9]|2[0-3]):[0-5][0-9])(?:(:[0-5][0-9])(?:[.0-9 ]*([+-])([0-9]{2}):?([0-9]{2})?)?.*)?)?$') AS idemgen_match,
                        LATERAL (SELECT (idemgen_match[1] || '-01')::date + idemgen_match[2]::integer - 1 AS idemgen_day) AS idemgen_days
                    WHERE to_char(idemgen_day, 'DD') = idemgen_match[2]
                ){{end}}

{{define "AsItStands"}}to_jsonb({{.}}) #>> '{}'{{end}}
