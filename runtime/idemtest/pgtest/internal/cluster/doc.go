// Package cluster finds the server binaries of Postgres and starts a
// throwaway cluster from them, which ends with the process that started it,
// however that process ends. It imports the standard library only.
package cluster
