SELECT {minute}
FROM figures
WHERE minute >= $1 AND minute < $2
ORDER BY minute, pipeline
