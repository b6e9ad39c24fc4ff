package pgstore

// Together has each claim and completion sent as if it were one of many.
func Together() Option { return func(o *options) { o.always = true } }
