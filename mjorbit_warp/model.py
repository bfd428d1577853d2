"""MjoModel: a compiled model, on the host and, once data is made, on a device."""

import weakref
from typing import TYPE_CHECKING, Any

import mujoco

from mjorbit_warp.callbacks import Callbacks, Hook
from mjorbit_warp.hardware.compiled import Hardware, compile_hardware
from mjorbit_warp.hardware.compiled_sensors import compile_sensors
from mjorbit_warp.options import OrbitOptions
from mjorbit_warp.orbit import Orbit

if TYPE_CHECKING:
    import mujoco_warp
    import warp as wp

    from mjorbit_warp.data import MjoData
    from mjorbit_warp.effects import Effects
    from mjorbit_warp.parameters import Parameters

_ACCESSORS = ("actuator", "body", "camera", "geom", "joint", "key", "light", "mesh", "sensor", "site", "tendon")
PREFIXES = ("central", "environment", "wheel", "cmg", "dipole", "thruster", "surface", "sensors")


class MjoModel:
    """An immutable structure with parameters that may differ per world.

    Attributes that are not listed here are those of MJWarp's Model (device arrays); reading one places the model on
    Warp's current device. Accessors by name (``model.body("bus")``) and sizes are MuJoCo's.

    Attributes:
      mj: the host ``mujoco.MjModel``, gravity set to zero.
      mjw: MJWarp's Model.
      orbit: reference orbit at the start, or None.
      options: effects that were compiled in.
      notes: one-line reports of the compilation.
      callback: user callbacks, see Callbacks.
      hardware: wheels, thrusters, surfaces …, see hardware.Hardware.
      sensors: sensors that are filled or made noisy here, see hardware.compiled_sensors.SensorList.
      parameters: device arrays by prefix; ``model.<prefix>_<name>`` is one of them:
      central_mu: gravitational parameter of the central body [m³/s²]   (*,) float64
      central_radius: its reference radius [m]                          (*,) float64
      central_j2: its second zonal harmonic [-]                         (*,) float64
      environment_…: see kernels.environment.EnvironmentModel
      wheel_…, cmg_…, dipole_…, thruster_…, surface_…: parameters of the parts, (*, number of parts), in the order of
        ``hardware``
      sensors_…: noise, bias, walk, quantum (*, n, 6), rate and half_angle (*, n) in the order of ``sensors``
    """

    def __init__(
        self,
        mj: mujoco.MjModel,
        orbit: Orbit | None,
        options: OrbitOptions,
        notes: tuple[str, ...],
        hardware: Hardware | None = None,
    ) -> None:
        self.mj = mj
        self.orbit = orbit
        self.options = options.compiled()
        self.hardware = compile_hardware(mj) if hardware is None else hardware
        self.sensors = compile_sensors(mj, self.options, orbit, self.hardware)
        self.notes = notes
        self.callback = Callbacks(self)
        self._evaluate: tuple[dict[str, Hook], dict[str, Hook]] | None = None
        self._mjw: mujoco_warp.Model | None = None
        self._device: wp.Device | None = None
        self._parameters: dict[str, Parameters] = {}
        self._datas: dict[int, weakref.ref[MjoData]] = {}

    @property
    def mjw(self) -> "mujoco_warp.Model":
        """MJWarp's Model; made on Warp's current device if there is none yet."""
        if self._mjw is None:
            self.put()
        assert self._mjw is not None
        return self._mjw

    @property
    def device(self) -> "wp.Device":
        """Device of ``mjw``."""
        _ = self.mjw
        assert self._device is not None
        return self._device

    @property
    def parameters(self) -> "dict[str, Parameters]":
        """Our device arrays by prefix: central, environment, wheel, cmg, magnetorquer, dipole, thruster, surface."""
        _ = self.mjw
        return self._parameters

    @property
    def central(self) -> "Parameters":
        """Arrays of the central body's parameters."""
        if "central" not in self.parameters:
            raise ValueError("the model has no orbit and so no central body: set spec.orbit before compile()")
        return self._parameters["central"]

    def effects(self, integrator: int, disableflags: int) -> "Effects":
        """Which effects kernels are built for, with MuJoCo's integrator and disable flags as they are now."""
        import dataclasses

        from mjorbit_warp.environment import environment_effects

        effects = environment_effects(self.options, self.orbit, self.hardware)
        if disableflags & int(mujoco.mjtDisableBit.mjDSBL_ACTUATION):
            effects = effects.without_hardware()
        return dataclasses.replace(effects, coupled=integrator == int(mujoco.mjtIntegrator.mjINT_RK4))

    def put(self, device: Any = None) -> None:
        """Place the model on a device (default: Warp's current one); once placed it stays there."""
        import mujoco_warp
        import warp as wp

        from mjorbit_warp.central import central_parameters
        from mjorbit_warp.environment import environment_parameters
        from mjorbit_warp.hardware.arrays import hardware_parameters
        from mjorbit_warp.sensors import sensor_parameters

        wanted = wp.get_device(device)
        if self._mjw is not None:
            if wanted != self._device:
                raise ValueError(
                    f"the model is on {self._device}, not on {wanted}: compile the spec again for {wanted}"
                )
            return
        with wp.ScopedDevice(wanted):
            self._mjw = mujoco_warp.put_model(self.mj)
            if self.orbit is not None:
                self._parameters["central"] = central_parameters(self.orbit.body)
                self._parameters["environment"] = environment_parameters(self.options, self.orbit.body)
            self._parameters |= hardware_parameters(self.hardware)
            self._parameters["sensors"] = sensor_parameters(self.sensors, self.options, self.orbit)
        self._device = wanted

    def expand(self, name: str, nworld: int) -> "wp.array":
        """Give a parameter one value per world, in place, all starting from the shared value.

        Args:
          name: a field of MJWarp's Model whose leading dimension is ``*``, ``opt.<name>`` for one of its options, or
            a ``central_…``, ``environment_…``, ``wheel_…``, ``cmg_…``, ``dipole_…``, ``thruster_…``, ``surface_…`` or
            ``sensors_…`` parameter.
          nworld: number of worlds.

        Returns:
          The (nworld, …) array; write into it. Captured graphs notice and capture again.
        """
        from mjorbit_warp.expand import expand

        return expand(self, name, nworld)

    def register(self, data: "MjoData") -> None:
        """Remember which MjoData an MJWarp Data belongs to, for callbacks."""
        key = id(data.mjw)
        self._datas[key] = weakref.ref(data, lambda _: self._datas.pop(key, None))

    def datas(self) -> "list[MjoData]":
        """The MjoData of this model that are in use."""
        return [data for reference in self._datas.values() if (data := reference()) is not None]

    def data_of(self, d: "mujoco_warp.Data") -> "MjoData":
        """The MjoData of an MJWarp Data that was made from this model."""
        reference = self._datas.get(id(d))
        data = reference() if reference is not None else None
        if data is None or data.mjw is not d:
            raise ValueError("this mujoco_warp.Data was not made by mjorbit_warp.make_data for this model")
        return data

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        prefix, _, field = name.partition("_")
        if prefix in PREFIXES and not hasattr(self.mj, name):
            if prefix == "central":
                return getattr(self.central, field)
            if prefix in self.parameters and field in self.parameters[prefix].batched:
                return getattr(self.parameters[prefix], field)
        if name in _ACCESSORS or (self._mjw is None and isinstance(getattr(self.mj, name, None), int)):
            return getattr(self.mj, name)
        return getattr(self.mjw, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if "_datas" in self.__dict__ and name not in self.__dict__ and not name.startswith("_"):
            raise AttributeError(
                f"model.{name} cannot be rebound, as graphs keep the old array: use model.{name}.assign(values), "
                f"or give it a value per world with model.expand({name!r}, nworld)"
            )
        object.__setattr__(self, name, value)
