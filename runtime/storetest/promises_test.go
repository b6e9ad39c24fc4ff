package storetest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The list in doc.go is what people read, the one in storetest.go is what runs.
func TestDocListsThePromises(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(doc)) {
		if text, ok := strings.CutPrefix(line, "//  "); ok {
			listed = append(listed, strings.TrimSpace(text))
		}
	}
	var run []string
	for _, p := range promises {
		run = append(run, fmt.Sprintf("%d. %s", len(run)+1, p.text))
	}
	for _, f := range faults {
		run = append(run, fmt.Sprintf("%d. %s", len(run)+1, f.text))
	}
	for _, p := range inTransactions {
		run = append(run, fmt.Sprintf("%d. %s", len(run)+1, p.text))
	}
	for _, p := range maintenance {
		run = append(run, fmt.Sprintf("%d. %s", len(run)+1, p.text))
	}
	for _, p := range inOrder {
		run = append(run, fmt.Sprintf("%d. %s", len(run)+1, p.text))
	}
	for _, f := range orderFaults {
		run = append(run, fmt.Sprintf("%d. %s", len(run)+1, f.text))
	}
	for _, p := range inOrderTx {
		run = append(run, fmt.Sprintf("%d. %s", len(run)+1, p.text))
	}
	if diff := cmp.Diff(run, listed); diff != "" {
		t.Errorf("doc.go lists other promises than run (-run +listed):\n%s", diff)
	}
}
