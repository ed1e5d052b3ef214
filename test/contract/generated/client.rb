# Asks for one thing of each kind with the generated client, and prints what came.
require 'json'
require 'uri'
require 'openapi_client'

url = URI(ENV.fetch('DISPLAYD_URL'))
OpenapiClient.configure do |configuration|
  configuration.scheme = url.scheme
  configuration.host = "#{url.host}:#{url.port}"
  configuration.base_path = ''
  configuration.access_token = ENV.fetch('DISPLAYD_KEY')
end
device, app, image = ENV.fetch('DEVICE'), ENV.fetch('APP'), ENV.fetch('IMAGE')
devices, pushes = OpenapiClient::DevicesApi.new, OpenapiClient::PushApi.new
installations, apps = OpenapiClient::InstallationsApi.new, OpenapiClient::AppsApi.new
v0 = OpenapiClient::V0Api.new
found = {}

found[:email] = OpenapiClient::AccountApi.new.get_account.email
found[:devices] = devices.list_devices.map(&:name)
change = OpenapiClient::DeviceUpdate.new(brightness: 40, sleep_start: '22:30')
found[:brightness] = devices.update_device(device, change).brightness
found[:sleep_start] = devices.get_device(device).sleep.start
found[:year] = devices.get_device(device).last_online.year
pushes.push_image(device, OpenapiClient::TemporaryPush.new(image: image, duration: 10))
pushes.push_image(device, OpenapiClient::EntryPush.new(image: image, installation_id: 'weather', background: true))
found[:entries] = installations.list_installations(device).map { |entry| [entry.id, entry.app] }
installations.delete_installation(device, 'weather')
upload = OpenapiClient::AppUpload.new(version: '1.0.0', script_content: 'x', script_language: 'STARLARK')
found[:uploaded] = apps.upload_app_version(app, upload).status
found[:versions] = apps.list_app_versions(app).map { |version| [version.version, version.reviewed_at] }
found[:apps] = apps.list_apps.map(&:name)

v0.v0_update_device(device, OpenapiClient::V0DeviceUpdate.new(brightness: 50))
found[:v0_devices] = v0.v0_list_devices.devices.map { |one| [one.display_name, one.brightness] }
v0.v0_push_image(device, OpenapiClient::V0Push.new(image: image, installation_id: 'news', background: true))
found[:v0_entries] = v0.v0_list_installations(device).installations.map { |entry| [entry.id, entry.app_id] }
v0.v0_delete_installation(device, 'news')

begin
  devices.get_device('no-such-device')
rescue OpenapiClient::ApiError => error
  found[:missing] = error.code
end
puts JSON.generate(found)
