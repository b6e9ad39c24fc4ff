package main

import (
	"fmt"
	"time"

	"github.com/idemgen/idemgen/generator"
)

// The JSON of explain, whose names its help documents.
type (
	explained struct {
		Version  int           `json:"version"` // of the format
		Handlers []handlerJSON `json:"handlers"`
		Upserts  []upsertJSON  `json:"upserts,omitempty"`
	}
	handlerJSON struct {
		Name          string        `json:"name"`
		Package       string        `json:"package"`
		Function      placeJSON     `json:"function"`
		Declared      placeJSON     `json:"declared"`
		DeclaredBy    string        `json:"declared_by"`
		Key           string        `json:"key"`
		ExampleKey    string        `json:"example_key"`
		Namespace     string        `json:"namespace"`
		Fingerprint   string        `json:"fingerprint"`
		Allowed       []allowedJSON `json:"allowed"`
		Mode          string        `json:"mode"`
		Lease         string        `json:"lease"`
		LeaseSeconds  float64       `json:"lease_seconds"`
		Retain        string        `json:"retain"`
		RetainSeconds float64       `json:"retain_seconds"`
		Attempts      int           `json:"attempts"`
		Audit         string        `json:"audit"`
		Order         string        `json:"order"`
		Payload       string        `json:"payload"`
		Wrapper       string        `json:"wrapper"`
		KeyFunction   string        `json:"key_function"`
		Files         []string      `json:"files"`
	}
	placeJSON struct {
		File string `json:"file"`
		Line int    `json:"line"`
		Col  int    `json:"col"` // in bytes
	}
	allowedJSON struct {
		Path   string `json:"path"`
		Reason string `json:"reason"`
	}
)

func (p placeJSON) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

func (p project) place(pos generator.Pos) placeJSON {
	return placeJSON{p.rel(pos.File), pos.Line, pos.Col}
}

// explain says all there is to say of a handler.
func (p project) explain(h generator.Handler) handlerJSON {
	told := handlerJSON{
		Name: h.Name, Package: h.Package, Function: p.place(h.Pos), Declared: p.place(h.Declared), DeclaredBy: "directive",
		Key: h.Key, ExampleKey: h.ExampleKey, Namespace: h.Namespace, Fingerprint: h.Fingerprint, Allowed: []allowedJSON{},
		Mode: h.Mode, Lease: h.Lease.String(), LeaseSeconds: seconds(h.Lease), Retain: h.Retain.String(), RetainSeconds: seconds(h.Retain),
		Attempts: h.Attempts, Audit: h.Audit, Order: h.Order, Payload: h.Payload, Wrapper: h.Wrapper, KeyFunction: h.KeyFunc, Files: []string{},
	}
	if h.Declared.File == generator.ConfigName {
		told.DeclaredBy = generator.ConfigName
	}
	if h.Retain == 0 {
		told.Retain = "forever"
	}
	for _, a := range h.Allowed {
		told.Allowed = append(told.Allowed, allowedJSON(a))
	}
	for _, name := range h.Files {
		told.Files = append(told.Files, p.rel(name))
	}
	return told
}

func seconds(d generator.Duration) float64 { return time.Duration(d).Seconds() }
