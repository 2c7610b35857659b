//! Levels of vector instructions: a macro compiles each of the executor's own loops for each level.

/// Defines a function whose body is compiled for every instruction set; each call takes the level
/// in use. Generic parameters are given twice, with and without their bounds.
macro_rules! for_each_level {
    (
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident[$($bounded:tt)*][$($plain:tt)*](
            $($argument:ident: $type:ty),* $(,)?
        )
            $body:block
    ) => {
        $(#[$attribute])*
        $visibility fn $name<$($bounded)*>($($argument: $type),*) {
            #[inline(always)]
            fn body<$($bounded)*>($($argument: $type),*) $body

            // Not inlined: the compiler knows that slices are disjoint if they are arguments.
            #[inline(never)]
            fn baseline<$($bounded)*>($($argument: $type),*) {
                body::<$($plain)*>($($argument),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(enable = "avx2,fma")]
            fn avx2<$($bounded)*>($($argument: $type),*) {
                body::<$($plain)*>($($argument),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
            fn avx512<$($bounded)*>($($argument: $type),*) {
                body::<$($plain)*>($($argument),*);
            }

            match phalanx_device::instructions::Level::current() {
                // SAFETY: the level in use is one that the processor has.
                #[cfg(target_arch = "x86_64")]
                phalanx_device::instructions::Level::Avx512 => unsafe {
                    avx512::<$($plain)*>($($argument),*)
                },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                phalanx_device::instructions::Level::Avx2 => unsafe {
                    avx2::<$($plain)*>($($argument),*)
                },
                _ => baseline::<$($plain)*>($($argument),*),
            }
        }
    };
}

pub(crate) use for_each_level;
