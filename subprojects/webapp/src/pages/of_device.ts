/** The pages of one device, as one script. */
import "../core";

export { DevicePage } from "./device";
export { NewDevicePage } from "./device_new";
