package pgstore

import (
	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

var _ idem.Batcher = (*Store)(nil)

// Batch implements [idem.Batcher].
func (s *Store) Batch(deliveries int) (idem.Store, func()) {
	return protocol.Batch(s, s.runs, deliveries, s.current, s.runs.explain)
}
