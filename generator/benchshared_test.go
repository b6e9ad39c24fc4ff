package generator

const benchMoney = `// Package money holds amounts.
package money

import (
	"encoding/json"
	"fmt"
)

// Amount is an amount in the smallest unit of its currency.
type Amount struct {
	Cents    int64
	Currency string
}

// String writes an amount for people.
func (a Amount) String() string { return fmt.Sprintf("%d.%02d %s", a.Cents/100, a.Cents%100, a.Currency) }

// Text writes an amount as the provider wants it.
func (a Amount) Text() ([]byte, error) { return json.Marshal(a.String()) }

// Add returns the sum of two amounts of one currency.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.Currency != b.Currency {
		return Amount{}, fmt.Errorf("cannot add %s to %s", b.Currency, a.Currency)
	}
	return Amount{Cents: a.Cents + b.Cents, Currency: a.Currency}, nil
}
`

const benchOrder = `// Package order holds orders.
package order

import (
	"time"

	"example.com/shop/money"
)

// ID names an order.
type ID string

// Order is what a customer ordered.
type Order struct {
	ID       ID
	Customer string
	Lines    []Line
	Created  time.Time
}

// Line is a line of an order.
type Line struct {
	Article string
	Count   int
	Price   money.Amount
}

// Total returns what all lines cost.
func (o Order) Total() (total money.Amount, err error) {
	for _, line := range o.Lines {
		if total, err = total.Add(line.Price); err != nil {
			return total, err
		}
	}
	return total, nil
}
`
