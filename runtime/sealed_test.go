package runtime_test

import (
	"crypto/aes"
	"crypto/cipher"

	idem "github.com/idemgen/idemgen/runtime"
)

// sealed is a codec that encrypts the JSON of results with AES-GCM, each under
// a nonce of its own. The run's key is associated data: it is not encrypted,
// but a result that is found under another key does not open.
type sealed struct {
	idem.JSONCodec
	aead cipher.AEAD
}

func newSealed(key []byte) sealed {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // a key of the wrong length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return sealed{aead: aead}
}

func (s sealed) Encode(key idem.Key, result any) ([]byte, error) {
	data, err := s.JSONCodec.Encode(key, result)
	if err != nil {
		return nil, err
	}
	return s.aead.Seal(nil, nil, data, []byte(key)), nil
}

func (s sealed) Decode(key idem.Key, data []byte, result any) error {
	data, err := s.aead.Open(nil, nil, data, []byte(key))
	if err != nil {
		return err
	}
	return s.JSONCodec.Decode(key, data, result)
}
