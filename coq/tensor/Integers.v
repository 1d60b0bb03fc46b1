(** Integer facts that linear arithmetic does not know: quotients and products.

    The tactic [integers] closes goals of linear arithmetic over the integers, with quotients and
    remainders by positive numbers and what little of products is needed. *)

From Coq Require Import Reals ZArith Lia Bool.
Local Open Scope Z_scope.

Lemma quotient_range e m : 1 <= m -> m * (e / m) <= e < m * (e / m) + m.
Proof. intros m_pos. pose proof (Z.div_mod e m). pose proof (Z.mod_pos_bound e m). lia. Qed.

Lemma remainder_is e m : 1 <= m -> e mod m = e - m * (e / m).
Proof. intros m_pos. pose proof (Z.div_mod e m). lia. Qed.

Lemma quotient_sign e m : 1 <= m -> (0 <= e -> 0 <= e / m) /\ (e < 0 -> e / m < 0).
Proof.
  intros m_pos. split; intros sign; [apply Z.div_pos; lia|apply Z.div_lt_upper_bound; lia].
Qed.

Lemma product_order q r m : 1 <= m ->
  (q = r /\ m * q = m * r) \/ (q >= r + 1 /\ m * q >= m * r + m) \/ (q + 1 <= r /\ m * q + m <= m * r).
Proof.
  intros m_pos. assert (q = r \/ q > r \/ q < r) as [->|[more|less]] by lia.
  - now left.
  - right. left. nia.
  - right. right. nia.
Qed.

Lemma quotient_unique e m k : 1 <= m -> 0 <= e - m * k < m -> e / m = k.
Proof. intros m_pos bounds. symmetry. apply Z.div_unique with (r := e - m * k); lia. Qed.

Lemma quotient_below e m u : 1 <= m -> e >= m * u \/ e / m <= u - 1.
Proof.
  intros m_pos. assert (e >= m * u \/ e < m * u) as [more|less] by lia; [now left|right].
  apply Z.div_lt_upper_bound in less; lia.
Qed.

Lemma quotient_quotient e a b : 1 <= a -> 1 <= b -> e / a / b = e / (a * b).
Proof. intros a_pos b_pos. apply Z.div_div; lia. Qed.

Lemma quotient_of_remainder e a b : 1 <= a -> 1 <= b -> (e mod (a * b)) / b = (e / b) mod a.
Proof.
  intros a_pos b_pos. rewrite (Z.mul_comm a b), Z.rem_mul_r by lia.
  rewrite Z.add_comm, Z.mul_comm, Z.div_add_l by lia.
  rewrite (Z.div_small (e mod b)) by (apply Z.mod_pos_bound; lia). lia.
Qed.

Lemma remainder_of_remainder e a b : 1 <= a -> 1 <= b -> (e mod (a * b)) mod b = e mod b.
Proof.
  intros a_pos b_pos. rewrite (Z.mul_comm a b), Z.rem_mul_r by lia.
  rewrite Z.add_comm, Z.mul_comm, Z.add_comm, Z.mod_add by lia. apply Z.mod_mod. lia.
Qed.

Lemma quotient_shared g e r m : 1 <= g -> 1 <= m -> 0 <= r < g -> (g * e + r) / (g * m) = e / m.
Proof.
  intros g_pos m_pos bounds. rewrite <- Z.div_div by lia. f_equal.
  rewrite Z.mul_comm, Z.div_add_l by lia. rewrite Z.div_small; lia.
Qed.

Lemma product_sign f g : f <= -1 \/ g <= -1 \/ 0 <= f * g.
Proof. assert (f <= -1 \/ g <= -1 \/ 0 <= f /\ 0 <= g) as [?|[?|[? ?]]] by lia; auto using Z.mul_nonneg_nonneg. Qed.

Lemma product_zero e a : e = 0 -> e * a = 0.
Proof. now intros ->. Qed.

Lemma quotient_split e m k r : 1 <= m -> e = m * k + r -> e / m = k + r / m.
Proof. intros m_pos ->. rewrite Z.mul_comm. apply Z.div_add_l. lia. Qed.

Lemma remainder_split e m k r : 1 <= m -> e = m * k + r -> e mod m = r mod m.
Proof. intros m_pos ->. rewrite Z.mul_comm, Z.add_comm. apply Z.mod_add. lia. Qed.

Lemma quotient_by_product e a b : 1 <= a -> 1 <= b -> e / (a * b) = e / a / b.
Proof. intros a_pos b_pos. symmetry. apply Z.div_div; lia. Qed.

Lemma quotient_exact e m k : 1 <= m -> e = m * k -> e / m = k.
Proof. intros m_pos ->. rewrite Z.mul_comm. apply Z.div_mul. lia. Qed.

(* Of [w] elements in [g] equal parts, an element is in one of the parts. *)
Lemma part_below i w g : 1 <= g -> g <= w -> 0 = w mod g -> 0 <= i < w -> 0 <= i / (w / g) < g.
Proof.
  intros g_pos enough exact i_in. assert (w_is : w = g * (w / g)) by (rewrite (Z.div_mod w g) at 1; lia).
  assert (1 <= w / g) by nia.
  split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; nia].
Qed.

(* How often [d] has to be added to [e] until it is not negative. *)
Lemma reaches e d : 1 <= d -> exists k, 0 <= k /\ 0 <= e + d * k /\ (k = 0 \/ e < 0 /\ e + d * k < d).
Proof.
  intros d_pos. pose proof (quotient_range e d d_pos) as range. destruct (Z.le_gt_cases 0 e).
  - exists 0. lia.
  - exists (- (e / d)). pose proof (quotient_sign e d d_pos). lia.
Qed.

(* Steps that fit into [e] begin within it. *)
Lemma step_within i e s : 1 <= s -> 0 <= i -> i < e / s + 1 -> 0 <= i * s <= e.
Proof. intros s_pos i_pos i_in. pose proof (quotient_range e s s_pos). split; nia. Qed.

(* Factors of 1. *)
Lemma factors_of_1 a b : 1 <= a -> 1 = a * b -> a = 1 /\ b = 1.
Proof. intros a_pos product. symmetry in product. apply Z.eq_mul_1 in product as sign. destruct sign; lia. Qed.

Lemma factor_of_itself p q k : 1 <= p -> q = p * k -> p = q -> 1 = k.
Proof. intros p_pos -> same. nia. Qed.

Lemma multiple_has_no_remainder e m : m <> 0 -> (m | e) -> 0 = e mod m.
Proof. intros m_pos divides. symmetry. now apply Z.mod_divide. Qed.

Lemma divides_without_remainder e m : m <> 0 -> 0 = e mod m -> (m | e).
Proof. intros m_pos none. now apply Z.mod_divide. Qed.

Lemma product_positive a b : 1 <= a -> 1 <= b -> 1 <= a * b.
Proof. nia. Qed.

Lemma exact_positive n m q : n = m * q -> 1 <= n -> 1 <= m -> 1 <= q.
Proof. nia. Qed.

(* A multiple of what is divided exactly. *)
Lemma quotient_of_multiple k w g : 1 <= g -> 0 = w mod g -> k * w / g = k * (w / g).
Proof.
  intros g_pos exact. rewrite (Z.div_mod w g) at 1 by lia. rewrite <- exact.
  replace (k * (g * (w / g) + 0)) with (k * (w / g) * g) by ring. apply Z.div_mul. lia.
Qed.

Lemma remainder_range e m : 1 <= m -> 0 <= e mod m < m.
Proof. intros m_pos. apply Z.mod_pos_bound. lia. Qed.

Lemma quotient_positive w g : 1 <= g -> g <= w -> 1 <= w / g.
Proof. intros g_pos enough. apply Z.div_le_lower_bound; lia. Qed.

(* What a size is divided into exactly divides it by the other. *)
Lemma exact_quotient e m : 1 <= e -> 1 <= m -> m * (e / m) = e -> 1 <= e / m /\ e / (e / m) = m /\ e mod (e / m) = 0.
Proof.
  intros e_pos m_pos exact. assert (q_pos : 1 <= e / m) by nia. split; [assumption|].
  split; [apply quotient_exact; lia | apply Z.mod_divide; [lia | exists m; lia]].
Qed.

Lemma quotient_without_factor g e m p q : 1 <= g -> 1 <= m -> p = g * e -> q = g * m -> p / q = e / m.
Proof. intros g_pos m_pos -> ->. apply Z.div_mul_cancel_l; lia. Qed.

Lemma common_factor g a b : 1 <= g -> g * a = g * b -> a = b.
Proof. intros g_pos. apply Z.mul_reg_l. lia. Qed.

(* A number by its digits. *)
Lemma digit q i a m : 0 <= q < a -> 0 <= i < m -> 0 <= q * m + i < a * m.
Proof. nia. Qed.

Lemma quotient_within e m n : 1 <= m -> 0 <= e < n * m -> 0 <= e / m < n.
Proof. intros m_pos e_in. split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]. Qed.

(* What is said to be positive, products of such, and quotients by what is not larger. *)
Ltac stated := first
  [ assumption
  | lazymatch goal with
    | |- 1 <= _ * _ => apply product_positive; stated
    | |- 1 <= _ / _ => apply quotient_positive; assumption
    end ].
Ltac positive := first
  [ stated
  | lazymatch goal with |- 1 <= _ * _ => apply product_positive; positive end
  | match goal with
    | exact : ?n = ?m * ?q |- 1 <= ?q => apply (exact_positive n m q exact); clear exact; positive
    | exact : ?m * ?q = ?n |- 1 <= ?q => apply (exact_positive n m q (eq_sym exact)); clear exact; positive
    end
  | solve [lia | nia] ].

(* A product that is a multiple by what is known of a factor. *)
Ltac divides := first
  [ exact (Z.divide_refl _)
  | match goal with known : ?e = ?m * ?q |- (?m | ?e) => exists q; rewrite known; apply Z.mul_comm end
  | match goal with known : 0 = ?e mod ?m |- (?m | ?e) => apply divides_without_remainder; [lia | exact known] end
  | apply Z.divide_mul_l; divides
  | apply Z.divide_mul_r; divides
  | apply Z.divide_add_r; divides ].
Ltac multiple := lazymatch goal with |- 0 = ?e mod ?m => apply multiple_has_no_remainder; [lia | divides] end.

(* [e] is [m] times the cofactor; a sum is [m] times the first of a pair, and the second. *)
Ltac times a b := lazymatch a with 1 => b | _ => lazymatch b with 1 => a | _ => constr:(a * b) end end.
Ltac plus a b := lazymatch a with 0 => b | _ => lazymatch b with 0 => a | _ => constr:(a + b) end end.
Ltac cofactor e m := lazymatch m with
  | ?a * ?b => let k := cofactor e a in cofactor k b
  | _ => lazymatch e with
      | m => constr:(1)
      | ?a * ?b => match constr:(Set) with
          | _ => let k := cofactor a m in times k b
          | _ => let k := cofactor b m in times a k
          end
      end
  end.
Ltac divided e m := match e with
  | ?a + ?b => let p := divided a m in let q := divided b m in
      lazymatch p with (?k, ?r) => lazymatch q with (?l, ?s) =>
        let whole := plus k l in let rest := plus r s in constr:((whole, rest)) end end
  | _ => let k := cofactor e m in constr:((k, 0))
  | _ => constr:((0, e))
  end.
Ltac has_multiple e m := match e with
  | ?a + ?b => first [has_multiple a m | has_multiple b m]
  | _ => let k := cofactor e m in idtac
  end.
Definition seen (z : Z) : Prop := True.

(* Remainders are smaller than the divisor. *)
Ltac remainder_bounds := repeat match goal with
  | |- context [?e mod ?m] =>
      lazymatch goal with
      | _ : seen (e mod m) |- _ => fail
      | _ =>
          let noted := fresh "noted" in
          assert (noted : seen (e mod m)) by exact I;
          try (let bound := fresh "bound" in assert (bound : 0 <= e mod m < m) by (apply remainder_range; first [stated | lia]))
      end
  end.

(* A number by its digits is less than the product of what they count to. *)
Ltac digits := lazymatch goal with
  | |- 0 <= ?e < ?p => lazymatch p with _ * _ => digits_by e p p | _ => lia end
  | _ => lia
  end
(* The last digit counts to one of the factors. *)
with digits_by e p f := lazymatch f with
  | ?x * ?y => first [ digits_by e p y | digits_by e p x ]
  | _ =>
      let a := cofactor p f in let d := divided e f in lazymatch d with
      | (?q, ?i) => replace e with (q * f + i) by ring; replace p with (a * f) by ring; apply digit; [digits | lia]
      end
  end.

(* What is a multiple of the divisor is taken out of a quotient or remainder. *)
Ltac splits := rewrite ?Z.mul_1_l, ?Z.mul_1_r, ?Z.div_1_r, ?Z.mod_1_r; remainder_bounds; repeat match goal with
  | exact : 0 = ?w mod ?g |- context [?k * ?w / ?g] => rewrite (quotient_of_multiple k w g) by first [ assumption | positive ]
  | |- context [?e / ?m] => has_multiple e m;
      let p := divided e m in lazymatch p with
      | (?k, 0) => rewrite (quotient_exact e m k) by first [ring | positive]
      | (?k, ?r) => rewrite (quotient_split e m k r) by first [ring | positive]
      end
  | |- context [?e mod ?m] => has_multiple e m;
      let p := divided e m in lazymatch p with (?k, ?r) => rewrite (remainder_split e m k r) by first [ring | positive] end
  | |- context [?e / ?m] => rewrite (Z.div_small e m) by lia
  | |- context [?e mod ?m] => rewrite (Z.mod_small e m) by lia
  | |- context [?e / (?n * ?m)] => rewrite (Z.div_small e (n * m)) by digits
  | |- context [?e / (?a * ?b)] => has_multiple e a; rewrite (quotient_by_product e a b) by positive
  | |- context [?e / (?b * ?a)] => has_multiple e a; rewrite (Z.mul_comm b a), (quotient_by_product e a b) by positive
  end.

(* Quotients and remainders of quotients and remainders, where [shown] shows that divisors are positive. *)
Ltac nested_by shown := repeat match goal with
  | |- context [?e mod (?a * ?b) / ?b] => rewrite (quotient_of_remainder e a b) by (shown tt)
  | |- context [(?e mod (?a * ?b)) mod ?b] => rewrite (remainder_of_remainder e a b) by (shown tt)
  | |- context [?e / ?a / ?b] => rewrite (quotient_quotient e a b) by (shown tt)
  end.
Ltac nested := nested_by ltac:(fun _ => positive).

(* Remainders become quotients; each quotient brings its range and sign. *)
Ltac remainders := repeat match goal with
  | |- context [?e mod ?m] => rewrite (remainder_is e m) by positive
  | H : context [?e mod ?m] |- _ => rewrite (remainder_is e m) in H by positive
  end.

Ltac note_quotient e m :=
  lazymatch goal with
  | _ : seen (e / m) |- _ => fail
  | _ =>
      let noted := fresh "noted" in
      let positive_divisor := fresh "positive_divisor" in
      assert (noted : seen (e / m)) by exact I;
      assert (positive_divisor : 1 <= m) by positive;
      pose proof (quotient_range e m positive_divisor);
      pose proof (quotient_sign e m positive_divisor)
  end.

Ltac quotients := repeat match goal with
  | |- context [?e / ?m] => note_quotient e m
  | _ : context [?e / ?m] |- _ => note_quotient e m
  end.

(* Facts that hold together, one by one. *)
Ltac one_by_one := repeat match goal with
  | there : _ /\ _ |- _ => destruct there
  | there : (_ && _)%bool = true |- _ => apply andb_prop in there
  | there : (_ || _)%bool = false |- _ => apply orb_false_elim in there
  | there : _ <= Z.min _ _ |- _ => apply Z.min_glb_iff in there
  | there : _ < Z.min _ _ |- _ => apply Z.min_glb_lt_iff in there
  | there : Z.max _ _ <= _ |- _ => apply Z.max_lub_iff in there
  | there : Z.max _ _ < _ |- _ => apply Z.max_lub_lt_iff in there
  end.

Lemma not_both (g h : bool) : h = false -> (g = true -> h = true) -> g = false.
Proof. intros fails there. destruct g; [now rewrite there in fails | reflexivity]. Qed.

(* Only what speaks, in however many steps, of the variables of the goal. *)
Ltac shares P G := match P with
  | context [?x] => is_var x; lazymatch type of x with Z => idtac | R => idtac end;
      lazymatch G with context [x] => idtac end
  end.
Ltac relevant := lazymatch goal with
  | |- False => idtac
  | _ =>
      one_by_one;
      repeat match goal with
        | H : ?P |- ?G => lazymatch type of P with Prop => idtac end; shares P G; revert H
        end;
      repeat match goal with
        | H : ?P |- _ => lazymatch type of P with Prop => clear H end
        end;
      intros
  end.

(* Minima and maxima that are known. *)
Ltac extrema := repeat match goal with
  | |- context [Z.min ?a ?b] => first [ rewrite (Z.min_l a b) by lia | rewrite (Z.min_r a b) by lia ]
  | H : context [Z.min ?a ?b] |- _ => first [ rewrite (Z.min_l a b) in H by lia | rewrite (Z.min_r a b) in H by lia ]
  | |- context [Z.max ?a ?b] => first [ rewrite (Z.max_l a b) by lia | rewrite (Z.max_r a b) by lia ]
  | H : context [Z.max ?a ?b] |- _ => first [ rewrite (Z.max_l a b) in H by lia | rewrite (Z.max_r a b) in H by lia ]
  end.

(* Choices whose conditions are known, and then the minima and maxima around them. What speaks of choices is put into the goal
   meanwhile: [lia] is slow with nested minima among the facts. *)
Ltac known_choice a b := first
  [ rewrite (proj2 (Z.leb_le a b)) by lia | rewrite (proj2 (Z.leb_gt a b)) by lia ].
Ltac choices := lazymatch goal with
  | |- context [if (_ <=? _)%Z then _ else _] => idtac
  | _ : context [if (_ <=? _)%Z then _ else _] |- _ => idtac
  end;
  repeat match goal with there : _ /\ _ |- _ => destruct there end;
  repeat match goal with there : context [if (_ <=? _)%Z then _ else _] |- _ => revert there end;
  repeat match goal with |- context [if (?a <=? ?b)%Z then _ else _] => known_choice a b end;
  repeat match goal with
  | |- context [Z.max 0 ?a] => rewrite (Z.max_r 0 a) by lia
  | |- context [Z.min ?a ?b] => first [ rewrite (Z.min_l a b) by lia | rewrite (Z.min_r a b) by lia ]
  end;
  intros.

(* An element's part. *)
Ltac note_part i w g := lazymatch goal with
  | _ : seen (i / (w / g)) |- _ => fail
  | _ =>
      let noted := fresh "noted" in
      assert (noted : seen (i / (w / g))) by exact I;
      pose proof (part_below i w g ltac:(lia) ltac:(lia) ltac:(assumption) ltac:(lia));
      generalize dependent (i / (w / g)); intros
  end.
Ltac parts_of_elements := repeat match goal with
  | exact : 0 = ?w mod ?g |- context [?i / (?w / ?g)] => note_part i w g
  end.

(* An element of a part, put together again. *)
Ltac parts_rejoined := lazymatch goal with
  | exact : 0 = ?w mod ?g |- context [_ / (?w / ?g)] => nested; splits; remainders; lia
  end.

(* Where steps begin, and then by cases. *)
Ltac step_cases := repeat match goal with
  | i_in : ?i < ?e / ?s + 1 |- _ => apply step_within in i_in; [|lia|lia]
  end;
  repeat match goal with there : _ \/ _ |- _ => destruct there end; subst; first [lia | nia].

(* Quotients by the same divisor, or products with the same factor, are as far apart as they differ. *)
Ltac note_order q r m :=
  lazymatch goal with
  | _ : seen (m * q - m * r) |- _ => fail
  | _ : seen (m * r - m * q) |- _ => fail
  | _ =>
      let noted := fresh "noted" in
      let positive_factor := fresh "positive_factor" in
      assert (noted : seen (m * q - m * r)) by exact I;
      assert (positive_factor : 1 <= m) by lia;
      pose proof (product_order q r m positive_factor)
  end.
Ltac orders := repeat match goal with
  | _ : seen (?e / ?m), _ : seen (?f / ?m) |- _ =>
      lazymatch e with f => fail | _ => note_order (e / m) (f / m) m end
  end.

(* A size that is a multiple of its quotient. *)
Ltac units := repeat match goal with
  | named : ?q = ?w / ?m, unit : ?w = ?m * ?q |- _ => rewrite <- named in *; clear named; subst w
  end.

(* A maximum that is not negative says nothing of its operands that sizes do not. *)
Ltac plain := repeat match goal with there : 0 <= Z.max _ _ |- _ => clear there end.

(* Sizes whose product is 1 are 1; so is the product of sizes that leave another as it was. *)
Ltac own_factors := match goal with
  | known : ?p = ?q |- _ => first
      [ let k := cofactor q p in pose proof (factor_of_itself p q k ltac:(stated) ltac:(ring) known)
      | let k := cofactor p q in pose proof (factor_of_itself q p k ltac:(stated) ltac:(ring) (eq_sym known)) ]
  end.
Ltac ones := try own_factors; repeat match goal with
  | product : 1 = ?a * ?b |- _ => apply factors_of_1 in product as [? ?]; [|solve [lia | nia]]
  | product : ?a * ?b = 1 |- _ => symmetry in product; apply factors_of_1 in product as [? ?]; [|solve [lia | nia]]
  end.

(* An index that was taken apart by sizes and put together again. *)
Ltac same_divisors := repeat match goal with
  | |- context [?e / ?m] => match goal with
    | |- context [e / ?n] =>
        tryif constr_eq m n then fail else replace (e / m) with (e / n) by (apply f_equal; ring)
    end
  end.
(* Quotients and remainders of quotients and remainders of the same number, which are one quotient by the product of the divisors:
   before anything that looks at the numbers. *)
Ltac same_nests := lazymatch goal with
  | |- @eq Z ?a ?b => lazymatch constr:((a, b)) with
      | context [_ / _ / _] => idtac
      | context [_ mod _ / _] => idtac
      | context [(_ mod _) mod _] => idtac
      end
  end;
  nested_by ltac:(fun _ => stated); same_divisors; reflexivity.
Ltac put_together :=
  repeat match goal with |- context [?e mod ?m] => rewrite (remainder_is e m) by positive end;
  nested; same_divisors; ring.
Ltac rejoined_within := lazymatch goal with
  | |- ?a / ?m = ?b / ?m => first [apply (f_equal (fun e => e / m)); rejoined_within | put_together]
  | |- ?a mod ?m = ?b mod ?m => first [apply (f_equal (fun e => e mod m)); rejoined_within | put_together]
  | |- _ = _ => put_together
  end.
Ltac rejoined := lazymatch goal with
  | |- context [(_ / _) mod _] => rejoined_within
  end.

Ltac exact_quotients := match goal with
  | known : ?m * (?e / ?m) = ?e |- context [?e / ?m] =>
      let quotient := fresh "quotient" in let back := fresh "back" in let rest := fresh "rest" in
      destruct (exact_quotient e m) as (quotient & back & rest); [stated | stated | exact known |];
      rewrite ?back, ?rest; first [ assumption | reflexivity | lia ]
  end.

(* Equal products of sizes are equal without a factor of both. *)
Ltac without_factor := subst; match goal with
  | known : ?p = ?q |- ?a = ?b => first
      [ let g := cofactor p a in apply (common_factor g); [positive | transitivity p; [ring | rewrite known; ring]]
      | let g := cofactor q a in apply (common_factor g); [positive | transitivity q; [ring | rewrite <- known; ring]] ]
  end.

(* A quotient without a factor of both, where sizes that equal others are known as such. *)
Ltac shorter_quotient g := subst; lazymatch goal with
  | |- _ / _ = ?e / ?m => apply (quotient_without_factor g e m); [positive | positive | ring | ring]
  end.

(* A place that is counted in one product of sizes is taken apart by another that is equal: it is a multiple of the product, and
   what is less than it. *)
Ltac spread q a := lazymatch q with ?x + ?y => let s := spread x a in let t := spread y a in constr:(s + t) | _ => constr:(q * a) end.
Ltac in_products known a b := repeat match goal with
  | |- context [?e / ?m] => has_multiple e b; let p := divided e b in lazymatch p with
      | (?q, ?r) =>
          let multiple := spread q a in let whole := plus multiple r in
          replace e with whole by (transitivity (q * b + r); [rewrite known; ring | ring]);
          try (let within := fresh "within" in assert (within : 0 <= r < a) by (rewrite known; digits))
      end
  | |- context [?e mod ?m] => has_multiple e b; let p := divided e b in lazymatch p with
      | (?q, ?r) =>
          let multiple := spread q a in let whole := plus multiple r in
          replace e with whole by (transitivity (q * b + r); [rewrite known; ring | ring])
      end
  end.
Ltac small_parts := repeat match goal with
  | |- context [(?e / ?m) mod ?n] => rewrite (Z.mod_small (e / m) n) by (apply quotient_within; [positive | lia])
  | |- context [?e / ?m] => rewrite (Z.div_small e m) by lia
  | |- context [?e / ?a / ?b] => rewrite (quotient_quotient e a b) by positive
  | |- context [?e mod (?n * ?m)] => rewrite (Z.mod_small e (n * m)) by digits
  end.
Ltac by_products := lazymatch goal with
  | |- context [_ / _] => idtac
  | |- context [_ mod _] => idtac
  end;
  match goal with
  | known : ?a * ?c = ?b * ?d |- _ => first
      [ in_products known (a * c) (b * d); splits; small_parts; solve [ reflexivity | lia ]
      | symmetry in known; in_products known (b * d) (a * c); splits; small_parts; solve [ reflexivity | lia ] ]
  end.

(* Guards part by part: each speaks of few variables. *)
Ltac parts := lazymatch goal with
  | |- (_ && _)%bool = true => one_by_one; repeat (apply andb_true_intro; split); integers
  | |- (_ && _)%bool = false => match goal with
      | there : (_ && _)%bool = false |- _ => apply (not_both _ _ there); intros ?; integers
      end
  end
(* By cases of an equality that a size depends on. Products are taken apart where linear arithmetic does not do, and before what is
   not linear is tried. *)
with integers := first
  [ assumption | reflexivity | apply Z.le_max_l | multiple | parts | same_nests | rejoined | exact_quotients
  | lazymatch goal with |- context [if (?a =? ?b)%Z then _ else _] => destruct (Z.eqb_spec a b); integers end
  | relevant; units; subst; plain; ones; subst; try choices; first
    [ reflexivity
    | lia
    | parts_rejoined
    | extrema; parts_of_elements; first [ reflexivity | lia | nested; splits; first [ lia | remainders; quotients; first [ lia | extrema; first [ lia | orders; lia ] ] ] ]
    | by_products
    | extrema; parts_of_elements; nested; splits; first [ progress small_parts; lia | remainders; quotients; extrema; first
        [ lia | step_cases | orders; first [ lia | nia ] ] ] ] ].
