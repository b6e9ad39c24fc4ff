-- {{.OrderNumber}}. entity left: held, though its lease has been over for as long again: the
--    worker died, and since then nothing was delivered of the entity. Any delivery
--    of it takes it. The key is the run's that held it: if that is not done, deliver
--    it again. It reads the whole table of entities.
WITH idemgen$order (handler, lease) AS (
    VALUES
{{- range $i, $ordered := .Ordered}}
        {{- if $i}},{{end}}
        ('{{$ordered.Namespace}}', {{$ordered.Lease.Milliseconds}})
{{- end}}
)
SELECT
    'entity left' AS finding,
    entity.handler,
    entity.entity,
    entity.version AS newest_applied,
    entity.key,
    run.status,
    datetime(entity.due / 1000, 'unixepoch') AS lease_ended
FROM {{.Runs}}_order AS entity
JOIN idemgen$order AS ordered ON ordered.handler = entity.handler
LEFT JOIN {{.Runs}} AS run ON run.key = entity.key
WHERE entity.due < strftime('%s', 'now') * 1000 - ordered.lease
ORDER BY entity.due
LIMIT 100;
