package main

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// The parts of SARIF 2.1.0 that we need, by its names.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
		Help             sarifMessage `json:"help"`
		Configuration    sarifLevel   `json:"defaultConfiguration"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
)

func printSARIF(cmd *cobra.Command, o *output, doc *document) error {
	invocation := sarifInvocation{Successful: true}
	results := []sarifResult{}
	add := func(of rule, level string, p problem) {
		if p.File != "" {
			results = append(results, sarifFinding(of, level, p))
			return
		}
		// What has no place is about the run itself.
		invocation.Successful = invocation.Successful && level != "error"
		invocation.Notifications = append(invocation.Notifications, sarifNotification{level, messageOf(p.text())})
	}
	for _, p := range doc.Notices {
		add(noticeRule, "note", p)
	}
	for _, f := range doc.Files {
		if f.finding() {
			add(ruleOf(f.Status), o.level("error", "note"), f.problem())
		}
	}
	for _, p := range doc.Errors {
		add(invalidRule, "error", p)
	}
	return writeJSON(cmd, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool: sarifTool{sarifDriver{
				Name: "idemgen", Version: versionOf(buildInfo()), InformationURI: "https://github.com/idemgen/idemgen", Rules: sarifRules(),
			}},
			Invocations: []sarifInvocation{invocation},
			ColumnKind:  "unicodeCodePoints",
			Results:     results,
		}},
	}, true)
}

func sarifFinding(of rule, level string, p problem) sarifResult {
	return sarifResult{
		RuleID:    of.id,
		RuleIndex: slices.IndexFunc(rules, func(r rule) bool { return r.id == of.id }),
		Level:     level,
		Message:   messageOf(p.text()),
		Locations: []sarifLocation{{sarifPhysical{
			Artifact: sarifArtifact{sarifURI(inWorkspace(p.File))},
			Region:   sarifRegion{StartLine: p.Line, StartColumn: codePoints(p)},
		}}},
	}
}

func sarifRules() []sarifRule {
	var list []sarifRule
	for _, r := range rules {
		level := "error"
		if r.notice {
			level = "note"
		}
		help := strings.ToUpper(r.cure[:1]) + r.cure[1:] + "."
		list = append(list, sarifRule{ID: r.id, ShortDescription: messageOf(r.short), Help: messageOf(help), Configuration: sarifLevel{level}})
	}
	return list
}

// messageOf writes a text so that none of it is a placeholder for an argument,
// as braces are in SARIF's messages.
func messageOf(text string) sarifMessage { return sarifMessage{escapeMessage.Replace(text)} }

var escapeMessage = strings.NewReplacer("{", "{{", "}", "}}")

// sarifURI writes a path as a relative reference, or one to another drive as
// a file's URI.
func sarifURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme, u.Path = "file", "/"+strings.TrimPrefix(u.Path, "/")
	}
	return u.String()
}

// codePoints returns the column of a place, which counts bytes, in code
// points. Where the line cannot be read, the two are taken to be the same.
func codePoints(p problem) int {
	data, err := os.ReadFile(p.File)
	if err != nil {
		return p.Col
	}
	lines := bytes.SplitN(data, []byte("\n"), p.Line+1)
	if len(lines) < p.Line || len(lines[p.Line-1]) < p.Col-1 {
		return p.Col
	}
	return 1 + utf8.RuneCount(lines[p.Line-1][:p.Col-1])
}
