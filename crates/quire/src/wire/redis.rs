//! The address of the configured Redis server.

use quire_connectors::lock::RedisAddress;

use crate::config::RedisSection;

/// The address of the Redis server, or the rule that it breaks.
pub(crate) fn redis_address(redis: &RedisSection) -> Result<RedisAddress, String> {
    RedisAddress::parse(&redis.url()).map_err(|error| error.to_string())
}
