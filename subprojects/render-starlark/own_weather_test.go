package main

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tronbyt/pixlet/runtime/modules/starlarkhttp"
)

// service stands for Open-Meteo.
type service struct {
	status      int
	temperature float64
	code, isDay int
	asked       *http.Request
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked = r
	body := fmt.Sprintf(`{"current": {"temperature_2m": %g, "weather_code": %d, "is_day": %d},
		"daily": {"temperature_2m_max": [24.4], "temperature_2m_min": [-0.4]}}`,
		s.temperature, s.code, s.isDay)
	return &http.Response{StatusCode: s.status, Request: r, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(body))}, nil
}

const zagreb = `{"lat": "45.81444", "lng": "15.97798", "locality": "Zagreb", "timezone": "Europe/Zagreb"}`

func askWeather(t *testing.T, s *service, config map[string]any) (*answer, []byte) {
	t.Helper()
	usual := starlarkhttp.StarlarkHTTPClient
	starlarkhttp.StarlarkHTTPClient = &http.Client{Transport: s}
	t.Cleanup(func() { starlarkhttp.StarlarkHTTPClient = usual })
	r := testRequest()
	r.Config = config
	return serve(r, packFolder(t, filepath.Join(ownApps, "weather")))
}

func TestWeather(t *testing.T) {
	for name, s := range map[string]*service{
		"weather-clear":   {temperature: 21.3, code: 0, isDay: 1},
		"weather-night":   {temperature: -0.5, code: 0},
		"weather-partly":  {temperature: -12.5, code: 2, isDay: 1},
		"weather-cloudy":  {temperature: 9.5, code: 3, isDay: 1},
		"weather-fog":     {temperature: 0.4, code: 45, isDay: 1},
		"weather-rain":    {temperature: 12, code: 61, isDay: 1},
		"weather-shower":  {temperature: 12, code: 82},
		"weather-snow":    {temperature: -3.2, code: 75, isDay: 1},
		"weather-thunder": {temperature: 101.6, code: 95, isDay: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s.status = http.StatusOK
			a, got := askWeather(t, s, map[string]any{"location": zagreb})
			require.Nil(t, a.Error)
			assert.Equal(t, 900, a.MaxAgeS)
			requireOwnPicture(t, name, got)
		})
	}
}

func TestWeatherAsksForLittle(t *testing.T) {
	s := &service{status: http.StatusOK}
	a, _ := askWeather(t, s, map[string]any{"location": zagreb, "unit": "fahrenheit"})
	require.Nil(t, a.Error)
	assert.Equal(t, "api.open-meteo.com", s.asked.URL.Host)
	asked := s.asked.URL.Query()
	assert.Equal(t, "45.81", asked.Get("latitude"))
	assert.Equal(t, "15.98", asked.Get("longitude"))
	assert.Equal(t, "fahrenheit", asked.Get("temperature_unit"))
	assert.NotContains(t, s.asked.URL.RawQuery, "Zagreb&")
}

func TestWeatherWithoutPlace(t *testing.T) {
	s := &service{}
	a, got := askWeather(t, s, nil)
	require.Nil(t, a.Error)
	assert.Nil(t, s.asked)
	requireOwnPicture(t, "weather", got)
}

func TestWeatherServiceFails(t *testing.T) {
	a, _ := askWeather(t, &service{status: http.StatusTooManyRequests},
		map[string]any{"location": zagreb})
	require.NotNil(t, a.Error)
	assert.Contains(t, a.Error.Message, "the weather service answers 429")
}
