package load

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"gopkg.in/yaml.v3"
)

// schemaFault says what is wrong with a YAML text by the schema.
func schemaFault(t testing.TB, text string) string {
	t.Helper()
	var root schemaMap
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return root.fault(value)
}

// schemaMap is a schema as an editor reads it. It validates by the part of
// JSON Schema that ours has.
type schemaMap map[string]any

func (s schemaMap) sub(path ...string) schemaMap {
	for _, name := range path {
		s, _ = s[name].(map[string]any)
	}
	return s
}

func (s schemaMap) list(name string) []any {
	list, _ := s[name].([]any)
	return list
}

// fault is what is wrong with a value, or empty.
func (s schemaMap) fault(value any) string {
	for keyword := range s {
		if check, ok := keywords[keyword]; ok {
			if fault := check(s, value); fault != "" {
				return fault
			}
		} else if !slices.Contains([]string{"$comment", "$schema", "title", "description", "examples", "required"}, keyword) {
			return "unknown keyword " + keyword
		}
	}
	return ""
}

var keywords map[string]func(s schemaMap, value any) string

func init() {
	keywords = map[string]func(s schemaMap, value any) string{
		"type": func(s schemaMap, value any) string {
			kinds := map[string]string{"map[string]interface {}": "object", "[]interface {}": "array", "int": "integer", "float64": "integer", "string": "string"}
			return unless(kinds[fmt.Sprintf("%T", value)] == s["type"], "%v is no %v", value, s["type"])
		},
		"const": func(_ schemaMap, value any) string {
			return unless(fmt.Sprintf("%T%v", value, value) == "int1", "%v is not 1", value)
		},
		"enum": func(s schemaMap, value any) string {
			return unless(slices.Contains(s.list("enum"), value), "%v is none of them", value)
		},
		"pattern": func(s schemaMap, value any) string {
			text, ok := value.(string)
			return unless(!ok || regexp.MustCompile(s["pattern"].(string)).MatchString(text), "%q does not match", text)
		},
		"minimum": func(s schemaMap, value any) string { return unless(number(value) >= number(s["minimum"]), "too small") },
		"maximum": func(s schemaMap, value any) string { return unless(number(value) <= number(s["maximum"]), "too big") },
		"not": func(s schemaMap, value any) string {
			return unless(s.sub("not").fault(value) != "", "%v is such", value)
		},
		"minItems": func(_ schemaMap, value any) string {
			list, ok := value.([]any)
			return unless(!ok || len(list) > 0, "empty")
		},
		"uniqueItems": func(_ schemaMap, value any) string {
			list, _ := value.([]any)
			texts := map[string]bool{}
			for _, item := range list {
				texts[fmt.Sprint(item)] = true
			}
			return unless(len(texts) == len(list), "twice the same")
		},
		"items":                func(s schemaMap, value any) string { return s.itemsFault(value) },
		"anyOf":                func(s schemaMap, value any) string { return s.anyFault(value) },
		"properties":           func(s schemaMap, value any) string { return s.propertiesFault(value) },
		"additionalProperties": func(schemaMap, any) string { return "" },
	}
}

func unless(ok bool, format string, args ...any) string {
	if ok {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

func number(value any) float64 {
	switch value := value.(type) {
	case int:
		return float64(value)
	case float64:
		return value
	}
	return 1
}

func (s schemaMap) itemsFault(value any) string {
	list, _ := value.([]any)
	for _, item := range list {
		if fault := s.sub("items").fault(item); fault != "" {
			return fault
		}
	}
	return ""
}

func (s schemaMap) anyFault(value any) string {
	fault := "nothing of"
	for _, one := range s.list("anyOf") {
		why := schemaMap(one.(map[string]any)).fault(value)
		if why == "" {
			return ""
		}
		fault += "; " + why
	}
	return fault
}

func (s schemaMap) propertiesFault(value any) string {
	m, _ := value.(map[string]any)
	for name, v := range m {
		p := s.sub("properties", name)
		if p == nil {
			return "unknown key " + name
		}
		if fault := p.fault(v); fault != "" {
			return name + ": " + fault
		}
	}
	for _, name := range s.list("required") {
		if _, ok := m[name.(string)]; !ok {
			return name.(string) + " is missing"
		}
	}
	return ""
}
