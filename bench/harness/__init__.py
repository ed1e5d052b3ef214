"""What bench/run is made of: services, load generators, the meter, results and how they are shown."""
