package spec

// use is what a template is for. Messages speak of it.
type use int

// The uses.
const (
	inKey use = iota
	inFingerprint
	inEntity  // of an order
	inVersion // of an order
)

func (u use) noun() string { return [...]string{"key", "fingerprint", "entity", "version"}[u] }

// some is the noun with its article.
func (u use) some() string {
	if u == inEntity {
		return "an entity"
	}
	return "a " + u.noun()
}

// together is what all events would be if it were the same for all.
func (u use) together() string {
	if u == inEntity {
		return "of one entity, and none would run beside another"
	}
	return "one piece of work"
}

// harm is what a value does there that differs on every delivery.
func (u use) harm() string {
	switch u {
	case inFingerprint:
		return "every duplicate would be refused (ErrKeyReuse)"
	case inEntity:
		return "two deliveries would be of two entities"
	case inVersion:
		return "an old event that is delivered again would be the newest"
	}
	return "two deliveries would be two pieces of work"
}

// fitCure says what to name in place of such a value.
func (u use) fitCure() string {
	if u == inVersion {
		return "name a number or a time that the sender raises with every change"
	}
	return "name what the sender says, such as the event's id"
}
