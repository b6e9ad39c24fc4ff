//go:build race

package chaos

// raceDetector: it makes workers slower by far, and sees this process only.
const raceDetector = true
