// Package storetest is the contract of an [idem.Store], as tests. A store's
// own test opens a database and calls [Run]; each promise is a subtest that
// bears its number. No test sleeps: the harness moves the store's clock.
//
// What a claim gets:
//
//  1. A new key is the caller's: running, attempt 1, with its whole lease.
//  2. While a lease is in force, others are told what remains of it, and change nothing.
//  3. Of concurrent claims of one key exactly one holds it.
//  4. Keys are compared byte for byte, up to 200 bytes.
//  5. An owner that asks again gets its own claim, the same attempt, with its whole lease.
//  6. A lease that is over by 1 ms can be taken over, one in force for 1 ms more cannot.
//  7. A waiting run is claimed when it is due, not 1 ms before, under the attempt it waits with.
//  8. A run whose attempts are used up is dead, by takeover, release or claim; holds do not count.
//  9. A dead run stays dead.
//  10. The run of another handler is returned untouched, whatever its state.
//  11. A claim that is known to be a redelivery gets the same answers.
//  12. A claim whose context has ended holds nothing and leaves nothing.
//  13. A run that was claimed with other values is returned untouched, whatever its state.
//  14. Values are compared if the run and the claim both have some, of one definition, and not otherwise.
//  15. A run keeps the fingerprint of the first claim that was granted and had one.
//  16. Of concurrent claims with different values one holds the key, and the others meet its values.
//
// What a holder can write:
//
//  17. A result comes back byte for byte, and no result is told from an empty one.
//  18. A finished run never changes: every duplicate gets the same.
//  19. Completing again with the same token is no error, and the first outcome stands.
//  20. Who has lost the run gets ErrLeaseLost for every write, and the row is as others left it.
//  21. A write needs the owner and the attempt and a running row, all of them.
//  22. A holder whose lease is over, but whom nobody followed, still holds.
//  23. Extend makes the lease end a duration from now.
//  24. A released run waits out its delay under the next attempt and keeps the error's text.
//  25. A token of a key without a run gets ErrLeaseLost, and no row appears.
//  26. A run ends as done, failed or stale only.
//
// Sweep, purge and look up:
//
//  27. A sweep makes every run whose lease is over wait, due now, under the next attempt, and no other.
//  28. A sweep takes the oldest first, at most its limit, and comes to the last.
//  29. A sweep never undoes a completion beside it.
//  30. A purge deletes what was finished, or due and left, longer ago than retain, and nothing else.
//  31. A purge deletes of one handler, at most its limit, and comes to the last; the key is then new.
//  32. A lookup changes nothing, and of no run is ErrNotFound.
//
// All of it together:
//
//  33. After any sequence of calls the row is as the protocol says; attempts only grow.
//
// Between two statements, by [RunFaults]:
//
//  34. A claim whose answer was lost is recognised: the same attempt, with its whole lease.
//  35. A write whose answer was lost is found to have been made, once.
//  36. A run that changes between the look and the write is looked at again, not overwritten, swept or purged.
//  37. A claim that waited has its whole lease, or ErrLeaseLost if it was overtaken.
//  38. A claim that is cancelled before its answer came holds nothing, nor does it later.
//  39. A claim that was granted, and then ends in an error, holds nothing.
//  40. A purge that breaks off leaves each run whole or gone, and the next one takes the rest.
//
// In transactions, by [RunTx]:
//
//  41. A claim in a transaction is answered as one outside would be, and holds a connection only while it holds the run.
//  42. Work, claim and completion are committed together; nobody sees any of it before.
//  43. A transaction that is rolled back leaves nothing, and the key can be claimed at once.
//  44. A claim whose key a transaction has waits no longer than its lock timeout, and changes nothing.
//  45. A claim that waits for a transaction gets its result if it is committed, and the run if it is rolled back.
//  46. A release in a transaction is counted as one outside is.
//  47. A transaction whose handler has written the run's row commits nothing.
//
// Maintenance, by [RunMaintenance]:
//
//  48. A task is begun once in a period, and others are told how long to wait.
//  49. Of concurrent beginnings of a task one begins it.
//  50. A task that was begun in the future, by a clock that was set back since, is due.
//  51. Health tells how each task last ended, and how long ago.
//  52. Health counts what is two periods overdue for the sweep or a purge, and the dead, and nothing else.
//  53. A sweep passes over runs that the database refuses to write, resets all others, and tells which.
//  54. A purge passes over runs that the database refuses to delete, deletes all others, and tells which.
//  55. A run keeps the event of the first claim that was granted and had one, until it is done, failed or stale.
//  56. Undelivered are the runs of a handler that have an event and could be claimed, oldest first, each once.
//
// Order, by [RunOrder]:
//
//  57. An entity that is new, or that nobody holds, is the caller's, with its whole lease under the next number.
//  58. While the lease of an entity is in force, others are told who holds it, and change nothing.
//  59. Of concurrent entries of one entity exactly one holds it.
//  60. An entity is a handler's, and is compared byte for byte.
//  61. A version below the newest that was applied is stale, and changes nothing; the same one, and a newer one, enter.
//  62. Apply makes a version the newest, Leave does not, and either ends the lease; again with the same token is no error.
//  63. Who has lost the entity gets ErrLeaseLost for every write, and the row is as others left it.
//  64. A write to an entity needs the owner and the number of a lease that has not ended, all of them.
//  65. A holder of an entity whose lease is over, but whom nobody followed, still holds; Keep makes it end a duration from now.
//  66. An entry whose context has ended holds nothing and leaves nothing.
//  67. A purge deletes entities that nobody holds, and that nothing was applied to for longer than retain, and nothing else.
//  68. A purge of entities passes over those that the database refuses to delete, deletes all others, and tells which.
//
// Order, between two statements, by [RunOrderFaults]:
//
//  69. An entry whose answer was lost is recognised: the same lease, and its whole duration.
//  70. A write to an entity whose answer was lost is found to have been made, once.
//  71. An entity that changes between the look and the write is looked at again, not overwritten.
//  72. An entry that is cancelled before its answer came holds nothing, nor does it later.
//  73. A purge leaves entities that were entered since it has found them.
//
// Order, in transactions, by [RunOrderTx]:
//
//  74. In a transaction an entity is entered and applied together with the run; nobody sees any of it before.
//  75. A transaction that is rolled back leaves the entity as it was.
//  76. An entry whose entity a transaction has waits no longer than the lock timeout; its own transaction is over, and has changed nothing.
//  77. An entry that waits for a transaction is stale if a newer version is committed, and holds if it is rolled back.
//  78. A run is committed as stale in the transaction that has found that out.
//
// The package imports the standard library and runtime only.
package storetest
