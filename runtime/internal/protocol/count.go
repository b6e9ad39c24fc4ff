package protocol

// Count is 1 for what is to be counted and 0 for what is not: databases add.
func Count(b bool) int {
	if b {
		return 1
	}
	return 0
}
