package generator_test

import (
	"context"
	"fmt"
	"log"
	"path"

	"github.com/idemgen/idemgen/generator"
)

// A team's own tool checks that what is committed is current. Write in the
// place of Compare would make it so.
func Example() {
	root, err := generator.Root("../examples/quickstart")
	if err != nil {
		log.Fatal(err)
	}
	files, err := generator.Generate(context.Background(), generator.Config{Dir: root})
	if err != nil {
		log.Fatal(err) // a line for each thing that is wrong, with its place and its cure
	}
	for _, f := range files {
		if path.Ext(f.Path) == ".go" {
			fmt.Println(f.Path)
		}
	}
	differences, err := generator.Compare(root, files)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range differences {
		fmt.Println(d.Kind, d.Path) // d.Diff has the rest
	}
	fmt.Println(len(differences), "differences")
	// Output:
	// notify_idem.go
	// notify_idem_test.go
	// idem_specs.go
	// 0 differences
}

// What a handler's key looks like, and which functions are generated for it.
func ExampleExplain() {
	root, err := generator.Root("../examples/quickstart")
	if err != nil {
		log.Fatal(err)
	}
	handlers, err := generator.Explain(context.Background(), generator.Config{Dir: root})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range handlers {
		fmt.Printf("%s, declared at %s, has keys such as %s\n", h.Name, h.Declared, h.ExampleKey)
		fmt.Println("call", h.Wrapper, "in its place; a lease holds for", h.Lease)
	}
	// Output:
	// Notify, declared at notify.go:38:1, has keys such as notify:event_1
	// call NotifyOnce in its place; a lease holds for 2m
}
