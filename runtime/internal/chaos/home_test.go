package chaos

import (
	"net/rpc"
	"os"

	idem "github.com/idemgen/idemgen/runtime"
)

// home is where workers get their deliveries from and report to.
type home interface {
	next(most int) []Delivery // none says that there are no more
	settled(r Receipt)
	begin(key idem.Key, op Op) int
	end(number int, a Answer)
	effect(key idem.Key, delivery int) string
}

// near is the home of workers in this process.
type near struct {
	broker   *broker
	history  *history
	provider *provider
}

func newNear(seed uint64) near { return near{newBroker(seed), newHistory(), newProvider()} }

func (n near) next(most int) []Delivery { return n.broker.next(most, nil) }

func (n near) settled(r Receipt) { n.broker.settled(r) }

func (n near) begin(key idem.Key, op Op) int { return n.history.begin(key, op) }

func (n near) end(number int, a Answer) { n.history.end(number, a) }

func (n near) effect(key idem.Key, delivery int) string { return n.provider.call(key, delivery) }

// far is the home of a worker in a process of its own. When it is gone, so is
// the worker.
type far struct{ *rpc.Client }

func (f far) call(method string, args, reply any) {
	if err := f.Call("home."+method, args, reply); err != nil {
		os.Exit(0)
	}
}

func (f far) next(most int) (ds []Delivery) {
	f.call("Next", most, &ds)
	return ds
}

func (f far) settled(r Receipt) { f.call("Settled", r, &struct{}{}) }

func (f far) begin(key idem.Key, op Op) (number int) {
	f.call("Begin", Begun{key, op}, &number)
	return number
}

func (f far) end(number int, a Answer) { f.call("End", Ended{number, a}, &struct{}{}) }

func (f far) effect(key idem.Key, delivery int) (id string) {
	f.call("Effect", Effect{key, delivery}, &id)
	return id
}

// Begun, Ended and Effect are what a worker tells.
type (
	Begun struct {
		Key idem.Key
		Op  Op
	}
	Ended struct {
		Number int
		Answer Answer
	}
	Effect struct {
		Key      idem.Key
		Delivery int
	}
)

// door is the other end of far: what a worker tells is a step of it, at which
// the test may strike.
type door struct {
	near
	process *process
}

// Next gives the worker deliveries.
func (d *door) Next(most int, reply *[]Delivery) error {
	*reply = d.broker.next(most, d.process.gone)
	for _, each := range *reply {
		d.process.took(each.Number)
	}
	return nil
}

// Begin notes a call of the store.
func (d *door) Begin(b Begun, number *int) error {
	*number = d.begin(b.Key, b.Op)
	d.process.step(b.Op.Kind + " begins")
	return nil
}

// End notes its answer.
func (d *door) End(e Ended, _ *struct{}) error {
	d.end(e.Number, e.Answer)
	d.process.step(e.Answer.Kind)
	return nil
}

// Effect has the provider do its work.
func (d *door) Effect(e Effect, id *string) error {
	d.process.step("provider is called")
	*id = d.effect(e.Key, e.Delivery)
	d.process.step("provider has answered")
	return nil
}

// Settled takes the worker's answer to the broker.
func (d *door) Settled(r Receipt, _ *struct{}) error {
	d.process.step("answer")
	d.process.gave(r.Number)
	d.settled(r)
	return nil
}
