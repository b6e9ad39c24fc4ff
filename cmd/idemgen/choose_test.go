package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator"
)

func TestChosen(t *testing.T) {
	handlers := []generator.Handler{
		{Name: "Root", Package: "example.com/app", Dir: ".", Namespace: "root"},
		{Name: "Notify", Package: "example.com/app/jobs", Dir: "jobs", Namespace: "notify"},
		{Name: "Service.Charge", Package: "example.com/app/jobs", Dir: "jobs", Namespace: "charge-card"},
		{Name: "Sub", Package: "example.com/app/jobs/sub", Dir: "jobs/sub", Namespace: "sub"},
		{Name: "Notify", Package: "example.com/app/jobsen", Dir: "jobsen", Namespace: "notify.jobsen"},
	}
	root := t.TempDir()
	const all = "root notify charge-card sub notify.jobsen"
	tests := []struct{ dir, args, want string }{ // the namespaces; none is an error
		{".", "", all},
		{".", "...", all},
		{".", "./...", all},
		{".", "example.com/...", all},
		{".", "example.com/app/...", all},
		{"jobs", "../...", all},

		{".", "Notify", "notify notify.jobsen"},
		{".", "notify", "notify"},
		{".", "./jobs.Notify", "notify"},
		{".", "example.com/app/jobs.Notify", "notify"},
		{".", "Service.Charge", "charge-card"},
		{".", "(*Service).Charge", "charge-card"},
		{".", "(Service).Charge", "charge-card"},
		{".", "Charge", "charge-card"},
		{".", "./jobs.(*Service).Charge", "charge-card"},
		{".", "example.com/app/jobs.Service.Charge", "charge-card"},
		{".", ".Root", "root"},
		{".", "example.com/app.Root", "root"},
		{"jobs", "./sub.Sub", "sub"},

		{".", ".", "root"},
		{".", "example.com/app", "root"},
		{".", "./jobs", "notify charge-card"},
		{".", "./jobs/", "notify charge-card"},
		{".", "./jobs/sub/..", "notify charge-card"},
		{".", filepath.Join(root, "jobs"), "notify charge-card"},
		{".", "example.com/app/jobs", "notify charge-card"},
		{".", "./jobs/...", "notify charge-card sub"},
		{".", "./jobs...", "notify charge-card sub notify.jobsen"},
		{".", "example.com/app/jobs/...", "notify charge-card sub"},
		{"jobs", ".", "notify charge-card"},
		{"jobs", "./...", "notify charge-card sub"},
		{"jobs", "..", "root"},
		{".", "./jobs/sub Charge sub", "charge-card sub"},

		{".", "jobs", ""},
		{".", "./sub", ""},
		{".", "./jobs.Charges", ""},
		{".", "./jobs.Sub", ""},
		{".", "app", ""},
		{".", "../app", ""},
		{".", "Service", ""},
		{".", "Notify nobody", ""},
		{".", "", all},
	}
	p := project{root}
	for _, tt := range tests {
		t.Run(tt.dir+" "+tt.args, func(t *testing.T) {
			found, err := p.chosen(filepath.Join(root, tt.dir), strings.Fields(tt.args), handlers)
			var got []string
			for _, h := range found {
				got = append(got, h.Namespace)
			}
			if err != nil {
				got = nil
			}
			if strings.Join(got, " ") != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
