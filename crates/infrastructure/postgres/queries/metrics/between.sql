SELECT {minute}
FROM minute_metrics
WHERE minute >= $1 AND minute < $2
ORDER BY minute, pipeline
