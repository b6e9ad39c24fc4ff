package main

import (
	"context"
	"database/sql"

	idem "github.com/idemgen/idemgen/runtime"
)

//go:generate go run ../../cmd/idemgen generate

// ShippedEvent says that an order is on its way.
type ShippedEvent struct {
	ID    string
	Phone string
}

// Receipt is what the texting provider answers.
type Receipt struct {
	MessageID string
}

// Shop is what the shop's handlers work with.
type Shop struct {
	DB    *sql.DB
	Texts TextSender
}

// TextSender is a provider of text messages. It sends one for each key, and
// answers a key that it knows with the message that it sent then.
type TextSender interface {
	Send(ctx context.Context, key, phone, text string) (messageID string, err error)
}

// Notify texts the customer that the order shipped, and keeps a row of each
// message that the provider sent.
//
//idem:key notify:{event.ID}
//idem:lease 2m
//idem:retain 30d
//idem:audit notifications by external_event_id
func Notify(ctx context.Context, key idem.Key, shop Shop, event ShippedEvent) (Receipt, error) {
	id, err := shop.Texts.Send(ctx, key.String(), event.Phone, "Your order is on its way.")
	if err != nil {
		return Receipt{}, err
	}
	_, err = shop.DB.ExecContext(ctx, `
		INSERT INTO notifications (message_id, external_event_id) VALUES ($1, $2)
		ON CONFLICT (message_id) DO NOTHING`, id, event.ID)
	return Receipt{MessageID: id}, err
}
