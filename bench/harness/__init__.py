"""What bench/run is made of: services, load generators, the meter, results, how they are shown."""
