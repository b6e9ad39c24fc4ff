package spec

import (
	"fmt"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	const key = "//idem:key a:{event.ID}\n"
	runErrorCases(t, []errorCase{
		{"a wrapper by hand", key + "func §Notify(ctx context.Context, event Event) error { return nil }\nfunc NotifyOnce() {}", []string{
			"NotifyOnce, which is generated for Notify, is declared at jobs/notify.go:33:6; rename one of the two"}},
		{"a batch wrapper by hand", key + "func §Notify(ctx context.Context, event Event) error { return nil }\nfunc NotifyOnceBatch() {}", []string{
			"NotifyOnceBatch, which is generated for Notify, is declared at jobs/notify.go:33:6; rename one of the two"}},
		{"a batch wrapper by hand, where none is generated", "//idem:key a:{event.ID}:{n}\nfunc Notify(ctx context.Context, event Event, n int) error { return nil }\nfunc NotifyOnceBatch() {}", nil},
		{"a batch method by hand", "type S struct{}\n" + key + "func (S) §Notify(ctx context.Context, event Event) error { return nil }\nfunc (S) NotifyOnceBatch() {}", []string{
			"S.NotifyOnceBatch, which is generated for S.Notify, is declared at jobs/notify.go:34:10; rename one of the two"}},
		{"both by hand", key + "func §§Notify(ctx context.Context, event Event) error { return nil }\nfunc NotifyOnce() {}\nfunc NotifyKey() {}", []string{
			"NotifyKey, which is generated for Notify, is declared at jobs/notify.go:34:6; rename one of the two",
			"NotifyOnce, which is generated for Notify, is declared at jobs/notify.go:33:6; rename one of the two"}},
		{"a wrapper by hand, unexported", key + "func §notify(ctx context.Context, event Event) error { return nil }\nfunc notifyKey() {}", []string{
			"notifyKey, which is generated for notify, is declared at jobs/notify.go:33:6; rename one of the two"}},
		{"a key function of a method by hand", "type S struct{}\n" + key + "func (S) §Notify(ctx context.Context, event Event) error { return nil }\nfunc SNotifyKey() {}\nfunc NotifyOnce() {}", []string{
			"SNotifyKey, which is generated for S.Notify, is declared at jobs/notify.go:34:6; rename one of the two"}},
		{"a method by hand", "type S struct{}\n" + key + "func (s *S) §Notify(ctx context.Context, event Event) error { return nil }\nfunc (S) NotifyOnce() {}", []string{
			"S.NotifyOnce, which is generated for S.Notify, is declared at jobs/notify.go:34:10; rename one of the two"}},
		{"a method by hand with a pointer receiver", "type S struct{}\n" + key + "func (s S) §Notify(ctx context.Context, event Event) error { return nil }\nfunc (*S) NotifyOnce() {}", []string{
			"S.NotifyOnce, which is generated for S.Notify, is declared at jobs/notify.go:34:11; rename one of the two"}},
		{"a field", "type S struct{ A, NotifyOnce int }\n" + key + "func (s S) §Notify(ctx context.Context, event Event) error { return nil }", []string{
			"S.NotifyOnce, which is generated for S.Notify, is declared at jobs/notify.go:31:19; rename one of the two"}},
		{"a promoted method", "type B struct{}; func (B) NotifyOnce() {}; type S struct{ B }\n" + key + "func (s S) Notify(ctx context.Context, event Event) error { return nil }", nil},
		{"a handler called as another's wrapper", key + "func §Notify(ctx context.Context, event Event) error { return nil }\n//idem:key b:{event.ID}\nfunc NotifyOnce(ctx context.Context, event Event) error { return nil }", []string{
			"NotifyOnce, which is generated for Notify, is declared at jobs/notify.go:34:6; rename one of the two"}},
		{"a function and a method", "type Service struct{}\n" + key + "func (Service) Notify(ctx context.Context, event Event) error { return nil }\n§//idem:key b:{event.ID}\nfunc ServiceNotify(ctx context.Context, event Event) error { return nil }", []string{
			"ServiceNotifyKey would be generated for both ServiceNotify and Service.Notify at jobs/notify.go:32:1; rename one of the two"}},
		{"one fixture file", key + "func Notify(ctx context.Context, event Event) error { return nil }\n§//idem:key b:{event.ID}\nfunc notify(ctx context.Context, event Event) error { return nil }", []string{
			"notify_idem_fixture_test.go would be generated for both notify and Notify at jobs/notify.go:31:1; rename one of the two"}},
		{"one method of two types", "type A struct{}; type B struct{}\n" + key + "func (A) Notify(ctx context.Context, event Event) error { return nil }\n//idem:key b:{event.ID}\nfunc (B) Notify(ctx context.Context, event Event) error { return nil }", nil},
	})
}

// Keys of two handlers that differ in the placeholders only are the same for
// some values, whatever their namespaces.
func TestOneSkeleton(t *testing.T) {
	const second = "(ctx context.Context, event Event) error { return nil }"
	const cure = "; give one of the two another literal text, or their deliveries meet in one run (ErrKeyReuse)"
	two := func(first, other string) string {
		return first + "\n" + notify + "\n§" + other + "\nfunc Other" + second
	}
	runErrorCases(t, []errorCase{
		{"another placeholder", two("//idem:key a:{event.ID}", "//idem:name b\n//idem:key a:{event.Channel}"), []string{
			"the key a:{event.Channel} of Other has the literal text of a:{event.ID}, the key of Notify at jobs/notify.go:31:1: the same values give both one key" + cure}},
		{"the same", two("//idem:name a\n//idem:key {event.ID}", "//idem:name b\n//idem:key {event.ID}"), []string{
			"the key {event.ID} of Other has the literal text of {event.ID}, the key of Notify at jobs/notify.go:31:1: the same values give both one key" + cure}},
		{"one optional", two("//idem:key a:{event.ID}:z", "//idem:name b\n//idem:key a:{event.Channel?}:z"), []string{
			"the key a:{event.Channel?}:z of Other has the literal text of a:{event.ID}:z, the key of Notify at jobs/notify.go:31:1: the same values give both one key" + cure}},
		{"one namespace is told once", two("//idem:key a:{event.ID}", "//idem:key a:{event.Channel}"), []string{
			"Other has the namespace a, which is that of Notify at jobs/notify.go:31:1; begin one of the two keys with another name, or add //idem:name"}},
		{"a name that is taken", strings.ReplaceAll(two("//idem:key a:{event.ID}", "//idem:key b:{event.ID}"), "§", "") + "\n//idem:key c:{event.ID}\n//idem:name §a\nfunc Third" + second, []string{
			"Third has the namespace a, which is that of Notify at jobs/notify.go:31:1; give one of the two another name"}},
		{"a key that begins with a name", two("//idem:name a\n//idem:key b:{event.ID}", "//idem:key a:{event.ID}"), []string{
			"Other has the namespace a, which is that of Notify at jobs/notify.go:31:13; begin the key with another name, or give one of the two another with //idem:name"}},
		{"other literal text", strings.ReplaceAll(two("//idem:key a:{event.ID}", "//idem:name b\n//idem:key a:b:{event.ID}"), "§", ""), nil},
		{"two without a key", "§//idem:name a\n" + notify + "\n§//idem:name b\nfunc Other" + second, []string{
			"Notify has no //idem:key; add one, such as //idem:key notify:{event.ID}: without it the function is not a handler",
			"Other has no //idem:key; add one, such as //idem:key other:{event.ID}: without it the function is not a handler"}},
		{"one without a key", two("//idem:key a:{event.ID}", "//idem:name b"), []string{
			"Other has no //idem:key; add one, such as //idem:key other:{event.ID}: without it the function is not a handler"}},
	})
}

// A namespace is unique in the project, not in a file or a package. A handler
// with other errors still takes part, so that all errors come in one run.
func TestNamespaceTwice(t *testing.T) {
	src := func(function, key string) string {
		return header + "//idem:key " + key + "\nfunc " + function + "(ctx context.Context, event Event) error { return nil }"
	}
	var errs Errors
	s := &Spec{}
	for i, h := range []struct{ function, key string }{
		{"Notify", "notify:{event.ID}"}, {"Other", "other:{event.IDD}"}, {"Third", "other:{event.ID}"}, {"Fourth", "notify:{event.N}"}, {"Notify", "notify:x:{event.N}"},
		{"None", "{event.ID}"}, {"Neither", "{event.ID}"},
	} {
		file, es := load(t, fmt.Sprintf("p%d/a.go", i), src(h.function, h.key))
		file.Package.Dir = fmt.Sprintf("p%d", i)
		errs = append(errs, es...)
		s.Files = append(s.Files, file)
	}
	errs = append(errs, Validate(s)...)
	want := strings.Join([]string{
		"p1/a.go:31:18: Event has no field or method IDD; did you mean event.ID?",
		"p2/a.go:31:1: Third has the namespace other, which is that of Other at p1/a.go:31:1; begin one of the two keys with another name, or add //idem:name",
		"p3/a.go:31:1: Fourth has the namespace notify, which is that of Notify at p0/a.go:31:1; begin one of the two keys with another name, or add //idem:name",
		"p4/a.go:31:1: Notify has the namespace notify, which is that of Notify at p0/a.go:31:1; begin one of the two keys with another name, or add //idem:name",
		"p5/a.go:31:12: the key {event.ID} does not begin with a namespace; begin it with one and a colon, such as none:, or add //idem:name none",
		"p6/a.go:31:12: the key {event.ID} does not begin with a namespace; begin it with one and a colon, such as neither:, or add //idem:name neither",
	}, "\n")
	if got := errs.Err(); got == nil || got.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", got, want)
	}
}

// Names of one package only meet; the same in two packages do not.
func TestSameNamesInTwoPackages(t *testing.T) {
	s := &Spec{}
	for _, dir := range []string{"a", "b"} {
		file, errs := load(t, dir+"/a.go", header+"//idem:key "+dir+":{event.ID}\n"+notify)
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		file.Package.Dir = dir
		s.Files = append(s.Files, file)
	}
	if errs := Validate(s); errs.Err() != nil {
		t.Error(errs)
	}
}

func TestSnakeBase(t *testing.T) {
	for _, c := range []struct{ recv, function, want string }{
		{"", "Notify", "notify"}, {"", "notify", "notify"}, {"", "NotifyHTTPServer", "notify_http_server"},
		{"", "HTTPNotify", "http_notify"}, {"", "NotifyV2", "notify_v2"}, {"", "notify_All", "notify_all"},
		{"Service", "Notify", "service_notify"}, {"Service", "notify", "service_notify"}, {"svc", "Notify", "svc_notify"},
		{"", "Überweisen", "u00fcberweisen"}, {"", "名", "u540d"}, {"", "SendÜber", "send_u00fcber"},
		{"", "__", "handler"}, {"", "_Linux", "linux"}, {"", "Import", "import"}, {"", "X", "x"}, {"", "OrderIDs", "order_ids"},
	} {
		h := &Handler{Func: c.function}
		if c.recv != "" {
			h.Recv = &Recv{Type: c.recv}
		}
		if got := h.SnakeBase(); got != c.want {
			t.Errorf("%s.%s: got %s, want %s", c.recv, c.function, got, c.want)
		}
	}
}

func TestBase(t *testing.T) {
	for name, want := range map[string]string{
		"Notify": "notify", "notify": "notify", "HTTPNotify": "httpNotify", "NotifyHTTP": "notifyHTTP",
		"ID": "id", "IDs": "ids", "A": "a", "ABCd": "abCd", "Über": "über", "_X": "_X",
	} {
		if got := (&Handler{Func: name}).Base(); got != want {
			t.Errorf("the stem of %s is %s; want %s", name, got, want)
		}
	}
	method := &Handler{Func: "fetch", Recv: &Recv{Type: "URLFetcher"}}
	if got, want := method.Base()+" "+method.SnakeBase(), "urlFetcherFetch url_fetcher_fetch"; got != want {
		t.Errorf("the stems of a method are %s; want %s", got, want)
	}
}

func TestAuditOfRuns(t *testing.T) {
	file, errs := load(t, "jobs/notify.go", header+"//idem:key notify:{event.ID}\n//idem:audit job_runs by key\nfunc Notify(ctx context.Context, event Event) error { return nil }")
	if errs != nil {
		t.Fatal(errs)
	}
	s := &Spec{Config: Config{Table: "job_runs"}, Files: []*File{file}}
	want := file.Handlers[0].Audit.Pos.String() + ": job_runs is the table of runs, which has an audit of its own; name the table that the handler writes to"
	if got := Validate(s).Error(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	s.Config.Table = "runs"
	if errs := Validate(s); errs != nil {
		t.Errorf("a table of another name: %v", errs)
	}
}
