// Package cluster finds the server binaries of Postgres and starts a
// throwaway cluster from them, which ends with the process that started it,
// however that process ends; what is left where the whole cluster was killed,
// the next one removes. It imports the standard library only.
package cluster
