package main

import (
	"database/sql"
	"fmt"
	"io"
)

// duplicateQuery finds work that was done twice. It is the heart of what
// idemgen wrote to audit/, which also looks before the adoption of idemgen,
// bounds the period, and compares the table with the runs.
const duplicateQuery = `
SELECT external_event_id, count(*)
FROM notifications
GROUP BY external_event_id
HAVING count(*) > 1
ORDER BY external_event_id`

// Duplicate is an event whose work was done more than once.
type Duplicate struct {
	Event string
	Times int
}

func findDuplicates(db *sql.DB) ([]Duplicate, error) {
	rows, err := db.Query(duplicateQuery)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []Duplicate
	for rows.Next() {
		var d Duplicate
		if err := rows.Scan(&d.Event, &d.Times); err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	return found, rows.Err()
}

// audit prints what was delivered, what came of it and what went wrong.
func audit(out io.Writer, broker *Broker, workers *Workers) ([]Duplicate, error) {
	found, err := findDuplicates(workers.data.DB)
	if err != nil {
		return nil, err
	}
	requests, sent := workers.provider.Counts()
	fmt.Fprintln(out, "\nAudit")
	fmt.Fprintf(out, "  %-27s %2d\n", "deliveries", broker.deliveries)
	fmt.Fprintf(out, "  %-27s %2d\n", "runs of Notify", workers.runs.Load())
	fmt.Fprintf(out, "  %-27s %2d\n", "requests to the provider", requests)
	fmt.Fprintf(out, "  %-27s %2d\n", "texts sent (effects)", sent)
	fmt.Fprintf(out, "  %-27s %2d\n", "events with duplicates", len(found))
	for _, d := range found {
		fmt.Fprintf(out, "    %s: %d texts\n", d.Event, d.Times)
	}
	return found, nil
}
