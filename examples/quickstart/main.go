package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns 0, 1 if the wrapper let duplicates through, or 2 if it could
// not find out.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(stderr)
	unsafe := flags.Bool("unsafe", false, "call the handler without its wrapper")
	url := flags.String("database-url", "", "use this Postgres database, in a schema of its own, instead of a SQLite file")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	found, err := demonstrate(stdout, *url, *unsafe)
	if err != nil {
		fmt.Fprintln(stderr, "quickstart:", err)
		return 2
	}
	if len(found) > 0 && !*unsafe {
		return 1
	}
	return 0
}

func demonstrate(out io.Writer, url string, unsafe bool) (found []Duplicate, err error) {
	data, err := open(url)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := data.Close(); err == nil {
			err = closeErr
		}
	}()
	called := "NotifyOnce, its wrapper"
	if unsafe {
		called = "Notify itself, without its wrapper"
	}
	fmt.Fprintf(out, "Notify texts a customer. The workers call %s, on %s.\n", called, data.Name)
	broker, workers := &Broker{}, &Workers{data: data, provider: NewProvider(), unsafe: unsafe}
	if err := (&story{out: out, broker: broker, workers: workers}).tell(); err != nil {
		return nil, err
	}
	return audit(out, broker, workers)
}

func open(url string) (*Database, error) {
	if url == "" {
		return openSQLite()
	}
	return openPostgres(context.Background(), url)
}
